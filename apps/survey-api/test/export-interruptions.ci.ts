import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { eventually } from '@cxp/service-kit/testing';
import { readTsv } from '@cxp/spreadsheet/testing';
import { EXPORT, type Survey, TOO_MANY_REQUESTS, useSurvey } from './survey-service';

const PER_ORGANIZATION = 4;
const AT_ONCE = 6;
/** More than all buffers between the database and a client that does not read. */
const RESPONSES = 800;
const LONG_TEXT = 'Đánh giá rất dài '.repeat(400);

const survey = useSurvey({
  SURVEY_EXPORTS_PER_ORGANIZATION: String(PER_ORGANIZATION),
  SURVEY_EXPORTS_AT_ONCE: String(AT_ONCE),
});
let large: Survey;

beforeAll(async () => {
  large = await organizationWith(RESPONSES);
});

async function organizationWith(responses: number): Promise<Survey> {
  const organization = await survey.other();
  await organization.importCampaign();
  const response = () => organization.response({ transaction_id: LONG_TEXT });
  await organization.importResponses(...Array.from({ length: responses }, response));
  return organization;
}

function startExport({ caller, january }: Survey = large): ClientRequest {
  const url = `${survey.service.url}${EXPORT}?${new URLSearchParams(january).toString()}`;
  const call = httpRequest(url, { method: 'POST', headers: caller.headers, agent: false });
  return call.on('error', () => undefined).end();
}

/** Starts an export and reads nothing of its body; again while the share of the organization is not free yet. */
async function stallExport(): Promise<{ call: ClientRequest; answer: IncomingMessage }> {
  let stalled: { call: ClientRequest; answer: IncomingMessage };
  await eventually(async () => {
    const call = startExport();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    stalled = { call, answer };
    if (answer.statusCode === 200) return true;
    expect(answer.headers).toHaveProperty('retry-after');
    call.destroy();
    return false;
  });
  return stalled!;
}

/** Connections with a transaction or statement under way. */
async function busyConnections(): Promise<number> {
  const [row] = await survey.service.dataSource.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND state <> 'idle'`,
  );
  return row.count;
}

/** Until nothing moves any more: the buffers of stalled exports are full. */
async function untilIdle(): Promise<void> {
  for (let quiet = 0; quiet < 20;) quiet = (await busyConnections()) === 0 ? quiet + 1 : 0;
}

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('an export', () => {
  it('waits for a client that does not read, holds no connection meanwhile, and is whole in the end', async () => {
    const { answer } = await stallExport();
    await untilIdle();
    const file = readTsv(await readAll(answer));
    expect(file).toHaveLength(RESPONSES + 1);
    expect(answer.headers['x-total-count']).toBe(String(RESPONSES));
  });

  it('stalls for one organization, and for nobody else', async () => {
    const other = await organizationWith(5);
    const stalled = await Promise.all(Array.from({ length: PER_ORGANIZATION }, stallExport));
    await untilIdle();
    const { body } = await other.exportResponses().expect(200);
    expect(readTsv(body as Buffer)).toHaveLength(6);

    const refused = await large.exportResponses().expect(429);
    expect(JSON.parse((refused.body as Buffer).toString('utf8'))).toEqual(TOO_MANY_REQUESTS);
    expect(refused.headers).toMatchObject({ 'retry-after': '5' });
    for (const { call } of stalled) call.destroy();
  });

  it('is 503 when the process sends as many exports as it can', async () => {
    const stalled = await Promise.all(Array.from({ length: PER_ORGANIZATION }, stallExport));
    const others = await Promise.all(
      Array.from({ length: AT_ONCE - PER_ORGANIZATION }, async () => {
        const call = startExport(await organizationWith(RESPONSES));
        await once(call, 'response');
        return call;
      }),
    );
    const late = await organizationWith(1);
    const { body, headers } = await late.exportResponses().expect(503);
    expect(JSON.parse((body as Buffer).toString('utf8'))).toEqual({ detail: 'Service Unavailable' });
    expect(headers).toMatchObject({ 'retry-after': '5' });
    for (const call of [...stalled.map(({ call }) => call), ...others]) call.destroy();
  });

  it('gives its share back when its client goes away, before the answer too', async () => {
    for (let round = 0; round < 5 * PER_ORGANIZATION; round += 1) {
      const call = startExport();
      await once(call, 'finish');
      for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
      call.destroy();
    }
    const answers = await Promise.all(Array.from({ length: PER_ORGANIZATION }, stallExport));
    for (const { call } of answers) call.destroy();
  });

  it('is of one state: what arrives while it is sent is not in it', async () => {
    const { answer } = await stallExport();
    await large.importResponses(large.response({ sent_timestamp: '2026-01-01T00:00:00.000Z' }));
    expect(readTsv(await readAll(answer))).toHaveLength(RESPONSES + 1);
    const { call, answer: later } = await stallExport();
    call.destroy();
    expect(later.headers['x-total-count']).toBe(String(RESPONSES + 1));
  });

  it('cuts the connection when it fails midway: a part is never taken for the whole', async () => {
    const { answer } = await stallExport();
    await survey.service.dataSource.query(
      `UPDATE survey.response SET campaign_id = gen_random_uuid() WHERE campaign_id = $1`,
      [large.campaignId],
    );
    await expect(readAll(answer)).rejects.toThrow('aborted');
    expect(answer.complete).toBe(false);
  });
});
