import { randomUUID } from 'node:crypto';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { campaignRecord } from './records';
import { importRecords, linksOf, postText, startSurvey } from './survey-service';

let service: TestService;
let caller: Caller;
const campaign = randomUUID();

beforeAll(async () => {
  service = await startSurvey();
  caller = await service.caller();
  await importRecords(
    service,
    caller,
    ['survey_campaign', campaignRecord({ id: campaign })],
    ['metadata_field', { id: 1, name: 'Trường 1', variable: 'field_1' }],
  );
});
afterAll(() => service.stop());

it('metadata ids that have one hash in V8 take no longer than others', async () => {
  const processorTimeOf = async (ids: readonly number[]) => {
    const before = process.cpuUsage();
    const items = Array.from({ length: ids.length / 100 }, (_, place) => ({
      name: 'x',
      metadata_mapping: ids
        .slice(place * 100, place * 100 + 100)
        .map((metadata_id) => ({ metadata_id, value: 1 })),
    }));
    const answer = await postText(
      service,
      `${linksOf(campaign)}/batch`,
      caller.headers,
      JSON.stringify({ items }),
    );
    expect(answer.body.items[0].body.detail[0].type).toBe('unknown_metadata');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The least of three: the garbage of other tests may be collected within one of them.
  const leastTimeOf = async (ids: readonly number[]) =>
    Math.min(await processorTimeOf(ids), await processorTimeOf(ids), await processorTimeOf(ids));
  const ordinary = await leastTimeOf(Array.from({ length: 32_000 }, (_, place) => place * 13 + 10));
  expect(await leastTimeOf(numbersOfOneHash(32_000))).toBeLessThan(4 * ordinary);
});

/** Integers whose hash in V8, which is the same in each process, ends with the same bits. */
function numbersOfOneHash(count: number): number[] {
  const numbers: number[] = [];
  for (let number = 1; numbers.length < count; number++) {
    let hash = (~number + (number << 15)) >>> 0;
    hash = (hash ^ (hash >>> 12)) >>> 0;
    hash = (hash + (hash << 2)) >>> 0;
    hash = (hash ^ (hash >>> 4)) >>> 0;
    hash = Math.imul(hash, 2057) >>> 0;
    hash = (hash ^ (hash >>> 16)) >>> 0;
    if ((hash & 0x3fff) === 5) numbers.push(number);
  }
  return numbers;
}
