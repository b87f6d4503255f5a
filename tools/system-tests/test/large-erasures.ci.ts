import { randomUUID } from 'node:crypto';
import { imageEnvironment, type ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import { importRecords, postJson, record, send } from '../src/http';
import { startBuilt, survey } from '../src/service-under-test';

const PHONE = '+84901234567';

/** Each of 1.6 MB, as a legal body of C4 makes them: 200 texts of 2,000 characters. */
const LINKS = 200;
const TEXTS = 200;

/** In 40,000 responses: in one of ten as the customer's, else as that of the store. */
const STORE_PHONE = '+84281234567';
const RESPONSES = 40_000;

let inProcess: TestService;
let built: ServiceProcess;
let caller: Caller;

beforeAll(async () => {
  inProcess = await survey.startInProcess();
  caller = await issueTestToken(inProcess.dataSource);
  const texts = Array.from({ length: TEXTS - 1 }, (_, id) => ({
    metadata_id: id + 2,
    value: '😀'.repeat(2_000),
  }));
  await inProcess.dataSource.query(
    `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping, person_keys)
     SELECT $1, gen_random_uuid()::text, gen_random_uuid(), uuid_send(gen_random_uuid()), 'x', $2, $3 FROM generate_series(1, $4::integer)`,
    [
      caller.organizationId,
      JSON.stringify([{ metadata_id: 1, value: PHONE }, ...texts]),
      [`p${PHONE}`],
      LINKS,
    ],
  );
  // As the image starts it: what takes more memory ends the process.
  built = await startBuilt(survey, {
    ...inProcess.environment,
    ...imageEnvironment(),
    LOG_LEVEL: 'warn',
    SURVEY_PUBLIC_URL: 'http://localhost',
    SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: '1000000',
    EXTERNAL_SURVEY_PER_MIN_LIMIT: '1000000',
  });
}, 180_000);

afterAll(async () => {
  await built?.stop();
  await inProcess.stop();
});

async function call(path: string, body?: object) {
  const answer = await fetch(`${built.url}/external/erasures${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...caller.headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const isDone = (id: string) => eventually(async () => (await call(`/${id}`)).body.erasedAt !== null, 120_000);

it('200 links of 1.6 MB are counted and erased by a process with the heap of the image', async () => {
  const subject = { phones: [PHONE] };
  const found = { responses: 0, links: LINKS, metadataValues: LINKS };
  expect(await call('', { subject, dryRun: true })).toMatchObject({ status: 200, body: { found } });
  const id = randomUUID();
  expect(await call('', { id, subject })).toMatchObject({ status: 200 });
  await isDone(id);
  expect((await call(`/${id}`)).body).toMatchObject({ found });
}, 180_000);

/** Its public id. */
async function linkedPage(campaign: string): Promise<string> {
  await importRecords(built.url, caller, [
    record('survey_campaign', {
      ...{ id: campaign, name: 'Receipts', status: 'active' },
      survey_questions: [{ id: 1, type: 'text', title: 'Why?' }],
    }),
  ]);
  const link = postJson(`/external/survey-campaigns/${campaign}/links`, caller, { name: 'Receipt' });
  return ((await send(built.url, link)).body as { public_id: string }).public_id;
}

async function isAnswered(publicId: string): Promise<boolean> {
  const body = new URLSearchParams({ q1: 'Because.' });
  return (await fetch(`${built.url}/s/${publicId}/responses`, { method: 'POST', body })).status === 200;
}

/** As intakes would store them. */
async function storeResponses(campaign: string): Promise<void> {
  const { dataSource } = inProcess;
  const { organizationId } = caller;
  await dataSource.query(
    `INSERT INTO survey.response (organization_id, identifier, campaign_id, answered_at, user_name, user_phone, tags, metadata_mappings,
       answers, change, digest, person_keys)
     SELECT $1, gen_random_uuid(), $2, now() - n * interval '1 minute', 'Customer', CASE WHEN n % 10 = 0 THEN $3 ELSE '+8490' || n END,
       '[]', json_build_object('store', 'Hà Nội 01', 'store_phone', $3::text, 'note', repeat('x', 200)),
       json_build_object('1', repeat('y', 300)), n, n, ARRAY['p' || $3, 'e' || $3, 'p+8490' || n]
     FROM generate_series(1, $4::integer) AS n`,
    [organizationId, campaign, STORE_PHONE, RESPONSES],
  );
  await dataSource.query(
    `INSERT INTO survey.bucket (organization_id, list, starts_at, rows, digest)
     SELECT $1, campaign_id::text, date_bin('15 minutes', earliest_at, 'epoch'), count(*), bit_xor(digest)
     FROM survey.response WHERE organization_id = $1 AND campaign_id = $2 GROUP BY 2, 3`,
    [organizationId, campaign],
  );
  await dataSource.query(
    `INSERT INTO survey.change_feed AS feed (organization_id, last) VALUES ($1, $2)
     ON CONFLICT (organization_id) DO UPDATE SET last = greatest(feed.last, excluded.last)`,
    [organizationId, RESPONSES],
  );
}

it('a phone that 40,000 responses hold is counted and erased in steps, and pages are answered meanwhile', async () => {
  const campaign = randomUUID();
  const page = await linkedPage(campaign);
  await storeResponses(campaign);
  const subject = { phones: [STORE_PHONE] };
  const found = { responses: RESPONSES / 10, links: 0, metadataValues: (RESPONSES / 10) * 9 };
  expect(await call('', { subject, dryRun: true })).toMatchObject({ status: 200, body: { found } });
  const id = randomUUID();
  expect(await call('', { id, subject })).toMatchObject({ status: 200, body: { erasedAt: null } });
  let answered = 0;
  await eventually(async () => {
    if (await isAnswered(page)) answered++;
    return (await call(`/${id}`)).body.erasedAt !== null;
  }, 300_000);
  expect(answered).toBeGreaterThan(5);
  expect((await call(`/${id}`)).body).toMatchObject({ found });
  const [{ left }] = await inProcess.dataSource.query<[{ left: number }]>(
    `SELECT count(*)::integer AS left FROM survey.response
     WHERE organization_id = $1 AND campaign_id = $2 AND (user_phone = $3 OR metadata_mappings::text LIKE '%' || $3 || '%')`,
    [caller.organizationId, campaign, STORE_PHONE],
  );
  expect(left).toBe(0);
}, 400_000);
