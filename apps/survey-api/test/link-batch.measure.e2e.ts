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

/** Integers whose hash in V8, which is the same in each process, ends with the same bits: the steps of the hash, backwards. */
function numbersOfOneHash(count: number): number[] {
  const numbers: number[] = [];
  for (let high = 0; numbers.length < count; high++) {
    let hash = (high << 14) | 5;
    hash ^= hash >>> 16;
    hash = Math.imul(hash, inverseOf(2057));
    for (let bits = 4; bits < 32; bits *= 2) hash ^= hash >>> bits;
    hash = Math.imul(hash, inverseOf(5));
    for (let bits = 12; bits < 32; bits *= 2) hash ^= hash >>> bits;
    const number = Math.imul(hash + 1, inverseOf(2 ** 15 - 1));
    if (number > 0) numbers.push(number);
  }
  return numbers;
}

/** Of an odd factor, modulo 2 ** 32. */
function inverseOf(factor: number): number {
  let inverse = factor;
  for (let bits = 3; bits < 32; bits *= 2) inverse = Math.imul(inverse, 2 - Math.imul(factor, inverse));
  return inverse;
}
