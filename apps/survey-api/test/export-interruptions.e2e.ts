import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { readTsv } from './read-tables';
import { campaignRecord, responseRecord } from './records';
import { EXPORT, exportResponses, importRecords, listCampaigns, startSurvey } from './survey-service';

const POOL_SIZE = 2;
/** More than all buffers between the database and a client that does not read. */
const RESPONSES = 3000;
const LONG_TEXT = 'Đánh giá rất dài '.repeat(400);

let service: TestService;
let caller: Caller;
let query: Record<string, string>;

beforeAll(async () => {
  service = await startSurvey({ SURVEY_EXPORT_POOL_SIZE: String(POOL_SIZE) });
  caller = await service.caller();
  const id = randomUUID();
  const responses = Array.from({ length: RESPONSES }, () =>
    responseRecord({ survey_campaign_id: id, transaction_id: LONG_TEXT }),
  );
  await importRecords(
    service,
    caller,
    ['survey_campaign', campaignRecord({ id })],
    ...responses.map((response) => ['survey_response', response] as const),
  );
  query = { survey_campaign_id: id, start_date: '2026-01-01', end_date: '2026-01-31' };
});
afterAll(() => service.stop());

/** Begins an export, without any `Accept`, and reads nothing of its body. */
async function beginExport(): Promise<{ call: ClientRequest; answer: IncomingMessage }> {
  const url = `${service.url}${EXPORT}?${new URLSearchParams(query).toString()}`;
  const call = httpRequest(url, { method: 'POST', headers: caller.headers, agent: false });
  call.on('error', () => undefined).end();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { call, answer };
}

async function busyBackends(): Promise<number> {
  const [row] = await service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'survey-api export' AND state <> 'idle'`,
  );
  return row.count;
}

async function untilBusy(expected: number): Promise<void> {
  while ((await busyBackends()) !== expected) await new Promise(setImmediate);
}

describe('an export', () => {
  it('waits for a client that reads slowly, and is whole in the end', async () => {
    const { answer } = await beginExport();
    expect(await busyBackends()).toBe(1);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    expect(readTsv(Buffer.concat(chunks))).toHaveLength(RESPONSES + 1);
    await untilBusy(0);
  });

  it('ends its query when its client goes away', async () => {
    for (let round = 0; round < 3 * POOL_SIZE; round += 1) {
      const { call } = await beginExport();
      expect(await busyBackends()).toBeGreaterThan(0);
      call.destroy();
      await untilBusy(0);
    }
    await exportResponses(service, caller, query).expect(200);
  });

  it('ends its query when its client goes away before the answer', async () => {
    for (let round = 0; round < 20; round += 1) {
      const url = `${service.url}${EXPORT}?${new URLSearchParams(query).toString()}`;
      const call = httpRequest(url, { method: 'POST', headers: caller.headers, agent: false });
      call.on('error', () => undefined).end();
      await once(call, 'finish');
      for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
      call.destroy();
    }
    await untilBusy(0);
    await exportResponses(service, caller, query).expect(200);
  });

  it('is 503 when all connections for exports are taken, and takes none from other calls', async () => {
    const slow = await Promise.all(Array.from({ length: POOL_SIZE }, beginExport));
    const { body, headers } = await exportResponses(service, caller, query).expect(503);
    expect(JSON.parse((body as Buffer).toString('utf8'))).toEqual({ detail: 'Service Unavailable' });
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': expect.stringMatching(/json/) });
    await Promise.all(Array.from({ length: 20 }, () => listCampaigns(service, caller).expect(200)));
    for (const { call } of slow) call.destroy();
    await untilBusy(0);
    await exportResponses(service, caller, query).expect(200);
  });

  it('cuts the connection when the database fails midway: a part is never taken for the whole', async () => {
    const { answer } = await beginExport();
    await service.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'survey-api export' AND state <> 'idle'`,
    );
    await expect(
      (async () => {
        for await (const _ of answer);
      })(),
    ).rejects.toThrow('aborted');
    expect(answer.complete).toBe(false);
    await exportResponses(service, caller, query).expect(200);
  });
});
