import { randomUUID } from 'node:crypto';
import { hexDigest, rowDigest } from '@cxp/change-feed';
import { eventually } from '@cxp/service-kit/testing';
import type { Response } from 'supertest';
import type { ResponseChange } from '../src/response-changes/response-change.dto';
import { useSurvey } from './survey-service';

const survey = useSurvey();

beforeEach(async () => {
  await survey.importCampaign();
});

const response = survey.response.bind(survey);
const importLines = (...lines: object[]) =>
  survey.sendRecords(...lines).expect(200, { accepted: lines.length });
const remove = (identifier: string) => ({ type: 'survey_response', op: 'delete', data: { identifier } });
const upsert = (data: object) => ({ type: 'survey_response', data });
const digests = (query: object) => survey.get('/external/survey-response-digests', query);

/** Everything after the cursor, page by page. */
async function readAll(cursor = '', limit = 500) {
  const items: ResponseChange[] = [];
  for (;;) {
    const { body } = await survey.changes({ cursor, limit }).expect(200);
    items.push(...body.items);
    cursor = body.next_cursor;
    if (!body.has_more) return { items, cursor };
  }
}

const summary = (items: readonly ResponseChange[]) => items.map(({ op, key }) => [op, key.identifier]);

describe('changes of survey responses', () => {
  it('are answered with number, key, campaign, digest and the row of C2', async () => {
    const record = response({ user_name: 'Hà', metadata_mappings: { store: 1.5 }, tags: ['vip'] });
    await survey.importResponses(record);
    const { body } = await survey.changes().expect(200);
    const [row] = (await survey.listResponses().expect(200)).body.items;
    const key = { identifier: record.identifier };
    expect(body).toEqual({
      items: [
        {
          op: 'upsert',
          change: expect.any(Number),
          key,
          survey_campaign_id: survey.campaignId,
          digest: hexDigest(rowDigest({ key, survey_campaign_id: survey.campaignId, row })),
          row,
        },
      ],
      change: body.items[0].change,
      next_cursor: expect.any(String),
      has_more: false,
    });
  });

  it('come once each, and again only when the row changes', async () => {
    const [a, b] = [response(), response()];
    await survey.importResponses(a, b);
    const first = await readAll();
    expect(first.items).toHaveLength(2);
    await survey.importResponses(a, { ...b, user_name: 'changed' });
    const second = await readAll(first.cursor);
    expect(summary(second.items)).toEqual([['upsert', b.identifier]]);
    await survey.importResponses({ ...b, user_name: 'changed', tags: ['no part of the row'] });
    expect((await readAll(second.cursor)).items).toEqual([]);
  });

  it('report removals, numbered in the order of their arrival', async () => {
    const [a, b, c] = [response(), response(), response()];
    await survey.importResponses(a, b);
    const { cursor } = await readAll();
    await importLines(upsert(c), remove(a.identifier), remove(randomUUID()), remove(b.identifier), upsert(b));
    const { items, cursor: next } = await readAll(cursor);
    expect(summary(items)).toEqual([
      ['upsert', c.identifier],
      ['delete', a.identifier],
      ['upsert', b.identifier],
    ]);
    expect(items[1]).toEqual({
      op: 'delete',
      change: expect.any(Number),
      key: { identifier: a.identifier },
      reason: 'removed',
    });
    await survey.importResponses(a);
    expect(summary((await readAll(next)).items)).toEqual([['upsert', a.identifier]]);
    expect((await readAll()).items.filter(({ op }) => op === 'delete')).toEqual([]);
  });

  it('hold every response, whatever the status of its campaign, and if it has not arrived', async () => {
    const [a, late] = [response(), response({ survey_campaign_id: randomUUID() })];
    await survey.importResponses(a, late);
    let { items, cursor } = await readAll();
    expect(summary(items)).toEqual([
      ['upsert', a.identifier],
      ['upsert', late.identifier],
    ]);

    await survey.importCampaign({ status: 'deleted' });
    const changed = { ...a, user_name: 'while it was deleted' };
    await survey.importResponses(changed);
    await survey.importCampaign();
    ({ items, cursor } = await readAll(cursor));
    expect(items).toMatchObject([{ op: 'upsert', row: { user_name: changed.user_name } }]);

    const elsewhere = { ...changed, survey_campaign_id: late.survey_campaign_id };
    await survey.importResponses(elsewhere);
    ({ items } = await readAll(cursor));
    expect(items).toMatchObject([{ op: 'upsert', survey_campaign_id: late.survey_campaign_id }]);
  });

  it('are streamed as NDJSON, each with a cursor that continues after it', async () => {
    const records = Array.from({ length: 1200 }, () => response());
    await survey.importResponses(...records);
    const { text, headers } = await survey.changes().set('accept', 'application/x-ndjson').expect(200);
    expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson', vary: 'Accept' });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const end = lines.pop();
    expect(end).toEqual({ op: 'end', change: lines[1199].change, cursor: lines[1199].cursor });
    expect(new Set(lines.map(({ key }) => key.identifier)).size).toBe(1200);
    const rest = await survey
      .changes({ cursor: lines[1195].cursor })
      .set('accept', 'application/x-ndjson')
      .expect(200);
    expect(
      rest.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([...lines.slice(1196), end]);
    const nothing = await survey
      .changes({ cursor: lines[1199].cursor })
      .set('accept', 'application/x-ndjson')
      .expect(200);
    expect(JSON.parse(nothing.text)).toEqual(end);
  });

  it.each([
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit over 1000', { limit: 1001 }, 'limit'],
    ['a wait over 25 seconds', { wait: 26 }, 'wait'],
  ])('are 422 for %s', async (_, query, parameter) => {
    const { body } = await survey.changes(query).expect(422);
    expect(body.detail).toMatchObject([{ loc: ['query', parameter] }]);
  });

  it('hold nothing of another organization', async () => {
    await survey.importResponses(response());
    expect((await (await survey.other()).changes().expect(200)).body.items).toEqual([]);
  });
});

describe('digests of survey responses', () => {
  it('are by campaign and day of UTC+7, with what the day holds', async () => {
    const other = randomUUID();
    await survey.importCampaign({ id: other });
    await survey.importResponses(
      response({ sent_timestamp: '2026-01-05T16:59:59.999Z' }),
      response({ sent_timestamp: '2026-01-05T17:00:00Z' }),
      response({ sent_timestamp: '2026-01-06T16:00:00Z' }),
      response({ sent_timestamp: '2026-01-06T00:00:00Z', survey_campaign_id: other }),
      response({ sent_timestamp: '2026-02-06T00:00:00Z' }),
    );
    const { items } = await readAll();
    const expected = (id: string, date: string) => {
      const held = items.filter(
        (item) =>
          item.op === 'upsert' &&
          item.survey_campaign_id === id &&
          new Date(Date.parse(item.row.sent_timestamp!) + 7 * 3_600_000).toISOString().startsWith(date),
      ) as Extract<ResponseChange, { op: 'upsert' }>[];
      const digest = held.reduce((xor, item) => xor ^ BigInt(`0x${item.digest}`), 0n);
      return {
        survey_campaign_id: id,
        date,
        rows: held.length,
        digest: digest.toString(16).padStart(16, '0'),
      };
    };
    const window = { start_date: '2026-01-05', end_date: '2026-01-06' };
    const { body } = await digests(window).expect(200);
    expect(body.change).toBe(Math.max(...items.map(({ change }) => change)));
    const days = [expected(survey.campaignId, '2026-01-05'), expected(survey.campaignId, '2026-01-06')];
    expect(days.map(({ rows }) => rows)).toEqual([1, 2]);
    const ofOther = expected(other, '2026-01-06');
    expect(body.items).toEqual(survey.campaignId < other ? [...days, ofOther] : [ofOther, ...days]);
    const filtered = await digests({ ...window, survey_campaign_id: other }).expect(200);
    expect(filtered.body.items).toEqual([ofOther]);
  });

  it('answer the cursor at which a copy that equals them goes on: later changes and removals, and no earlier ones', async () => {
    const [first, second, third] = [response(), response(), response()];
    await survey.importResponses(first, second);
    await importLines(remove(first.identifier));
    const { body } = await digests({ start_date: '2026-01-01', end_date: '2026-12-31' }).expect(200);
    expect(await readAll(body.cursor)).toMatchObject({ items: [] });
    await importLines(upsert(third), remove(second.identifier));
    expect(summary((await readAll(body.cursor)).items).sort()).toEqual([
      ['delete', second.identifier],
      ['upsert', third.identifier],
    ]);
  });

  it('count a time that is in the year 10000 in UTC+7 to the last day', async () => {
    const sentinels = ['9999-12-31T16:59:59Z', '9999-12-31T23:59:59Z'];
    await survey.importResponses(...sentinels.map((sent_timestamp) => response({ sent_timestamp })));
    for (const start_date of ['0001-01-01', '9999-12-31']) {
      const { body } = await digests({ start_date, end_date: '9999-12-31' }).expect(200);
      expect(body.items).toMatchObject([{ date: '9999-12-31', rows: 2 }]);
    }
  });

  it('are as many as a hundred thousand, and a 422 that names the limit beyond it', async () => {
    await survey.importResponses(response({ sent_timestamp: '1900-01-01T00:00:00Z' }));
    /** Adds buckets like that of the response above, each on a day of its own. */
    const addDays = (from: number, to: number) =>
      survey.service.dataSource.query(
        `INSERT INTO survey.bucket (organization_id, list, starts_at, rows, digest)
         SELECT organization_id, list, starts_at + day * interval '1 day', rows, digest
         FROM generate_series($2::int, $3::int) AS day CROSS JOIN survey.bucket
         WHERE organization_id = $1 AND starts_at < '1900-01-02T00:00:00Z'`,
        [survey.caller.organizationId, from, to],
      );
    const window = { start_date: '0001-01-01', end_date: '9999-12-31' };
    /** They take most of the time that a request has: while the machine is busy the answer may be 503. */
    const answered = async () => {
      let answer: Response;
      await eventually(async () => (answer = await digests(window)).status !== 503, 60_000);
      return answer!;
    };
    await addDays(1, 99_999);
    const { status, body } = await answered();
    expect([status, body.items.length]).toEqual([200, 100_000]);
    await addDays(100_000, 100_000);
    const refused = await answered();
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({
      detail: [
        {
          loc: ['query', 'end_date'],
          msg: 'a window must have at most 100,000 days of campaigns with responses',
          type: 'too_large',
        },
      ],
    });
  });

  it('are empty for an organization without responses, and 422 for bad parameters', async () => {
    const { body } = await digests({ start_date: '2026-01-01', end_date: '2026-12-31' }).expect(200);
    expect(body).toEqual({ change: 0, cursor: expect.any(String), items: [] });
    await digests({}).expect(422);
    await digests({ start_date: '2026-01-02', end_date: '2026-01-01' }).expect(422);
    await digests({ start_date: '2026-01-01', end_date: '2026-01-02', survey_campaign_id: 'x' }).expect(422);
  });
});
