import { randomUUID } from 'node:crypto';
import type { CreatedSession } from '@cxp/client';
import { eventually, type Caller } from '@cxp/service-kit/testing';
import { send, type HttpRequest } from '../src/http';
import { postJson, postRecords } from '../src/workloads';
import {
  CAMPAIGN,
  CAMPAIGN_RECORDS,
  conversationRecords,
  DIGITS,
  foundInTables,
  MARKER,
  PERSON,
  response,
} from './erased-person';
import {
  newCallerWithWebchat,
  startKillableServices,
  type KillableServices,
  type ServiceKey,
} from './killable-services';
import { isDelivered } from './chat-delivery';

let services: KillableServices;
let dataSource: KillableServices['dataSource'];
let processes: KillableServices['processes'];
let caller: Caller;

beforeAll(async () => {
  services = await startKillableServices();
  ({ dataSource, processes } = services);
}, 90_000);
afterAll(() => services.stop());

async function sendTo<Answer>(area: ServiceKey, request: HttpRequest): Promise<Answer> {
  const answer = await send(processes[area].url, request);
  if (answer.status >= 300) throw new Error(`${request.path}: ${answer.status} ${answer.text}`);
  return answer.body as Answer;
}

const post = <Answer>(area: ServiceKey, path: string, body: object) =>
  sendTo<Answer>(area, postJson(path, caller, body));

const records = (area: ServiceKey, list: readonly object[]) => sendTo(area, postRecords(caller, list));

/** Area B has stored all that webchat has sent. */
async function settled(): Promise<void> {
  await eventually(() => isDelivered(dataSource), 60_000);
}

/** The advisory lock that the later steps of an erasure need while `holdLaterSteps` holds it. */
const LATER_STEPS = 4711;

/** Every erasure comes to a stop in a step after its first. @returns what lets them go on */
async function holdLaterSteps(): Promise<() => Promise<void>> {
  await dataSource.query(
    `CREATE OR REPLACE FUNCTION hold_later_step() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF OLD.found::text <> '{}' THEN
         -- A step that gives up a lock is tried again in five seconds: then the areas would not wait at the same time.
         PERFORM set_config('lock_timeout', '0', true);
         PERFORM pg_advisory_xact_lock_shared(${LATER_STEPS});
       END IF;
       RETURN NEW;
     END $$`,
  );
  for (const { schema } of AREAS_OF_PERSONS) {
    await dataSource.query(
      `CREATE OR REPLACE TRIGGER hold BEFORE UPDATE ON ${schema}.erasure FOR EACH ROW EXECUTE FUNCTION hold_later_step()`,
    );
  }
  const holder = dataSource.createQueryRunner();
  await holder.query('SELECT pg_advisory_lock($1)', [LATER_STEPS]);
  return async () => {
    await holder.query('SELECT pg_advisory_unlock($1)', [LATER_STEPS]);
    await holder.release();
  };
}

const AREAS_OF_PERSONS = [
  { area: 'webchat', schema: 'webchat', found: { conversations: 2, messages: 4_500 } },
  { area: 'contactCenter', schema: 'contact_center', found: { conversations: 150, tickets: 2 } },
  { area: 'survey', schema: 'survey', found: { responses: 600, links: 1 } },
] as const;

/** More of the person than one step of any area erases. */
async function storeMuch(): Promise<void> {
  await records('contactCenter', [
    ...conversationRecords('c-1', 1),
    ...conversationRecords('c-2', 2),
    ...Array.from({ length: 148 }, (_, n) => conversationRecords(`d-${n}`, 0)[0]!),
  ]);
  await records('survey', [
    ...CAMPAIGN_RECORDS,
    ...Array.from({ length: 600 }, () => response(randomUUID())),
  ]);
  await post('survey', `/external/survey-campaigns/${CAMPAIGN}/links`, {
    name: 'Link',
    metadata_mapping: [{ metadata_id: 1, value: PERSON.email }],
  });
  for (const user of [PERSON.id, `${PERSON.id}-2`]) {
    const conversation = randomUUID();
    await dataSource.query(
      `WITH conversation AS (
         INSERT INTO webchat.conversation (organization_id, id, user_id, user_email) VALUES ($1, $2, $3, $4)
       )
       INSERT INTO webchat.conversation_identifier VALUES ($1, $2, 'email:' || lower($4))`,
      [caller.organizationId, conversation, user, PERSON.email],
    );
    await dataSource.query(
      `INSERT INTO webchat.event (organization_id, conversation_id, event, type, id, stored_at, payload)
     SELECT $1, $2::uuid, n, 'message', n::text || $2::text, now(),
       json_build_object('senderType', 'agent', 'senderName', NULL::text, 'text', $3::text, 'status', 'open', 'agent', NULL)
     FROM generate_series(1, 2250) AS n`,
      [caller.organizationId, conversation, MARKER],
    );
  }
}

/** Somebody else in the same organization. */
const OTHER = 'other-2718';

async function storeOther(): Promise<void> {
  const other = JSON.stringify([...conversationRecords(OTHER, 9), response(randomUUID())])
    .replaceAll(MARKER, OTHER)
    .replaceAll(DIGITS, '11112222333');
  const list = JSON.parse(other) as { type: string }[];
  await records('contactCenter', list.slice(0, -1));
  await records('survey', [...CAMPAIGN_RECORDS, ...list.slice(-1)]);
  const { conversationId } = await post<CreatedSession>('webchat', '/external/sessions', {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user: { id: OTHER, name: OTHER, email: `${OTHER}@example.com` },
  });
  await eventually(async () => {
    const stored = await dataSource.query<unknown[]>(
      `SELECT FROM contact_center.record
       WHERE organization_id = $1 AND type = 'conversation' AND id = $2 AND data IS NOT NULL`,
      [caller.organizationId, conversationId],
    );
    return stored.length === 1;
  }, 60_000);
}

/** Every row of another organization, and every row that names the other person. */
async function rowsOfOthers(otherOrganization: string): Promise<string[]> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.columns JOIN information_schema.tables
       USING (table_schema, table_name)
     WHERE column_name = 'organization_id' AND table_type = 'BASE TABLE' AND table_schema = ANY ($1)`,
    [AREAS_OF_PERSONS.map(({ schema }) => schema)],
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT stored::text AS row FROM ${name} AS stored WHERE organization_id = $1 OR stored::text LIKE $2`,
      [otherOrganization, `%${OTHER}%`],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found.sort();
}

it('goes on in each area where a killed process has left it between two steps, and leaves others as they are', async () => {
  const other = await newCallerWithWebchat(dataSource);
  const own = await newCallerWithWebchat(dataSource);
  for (caller of [other, own]) await storeOther();
  await storeMuch();
  await settled();
  const before = await rowsOfOthers(other.organizationId);
  expect(before.length).toBeGreaterThan(10);

  const letGoOn = await holdLaterSteps();
  const id = randomUUID();
  const body = {
    id,
    subject: { userIds: [PERSON.id], phones: [PERSON.phone], emails: [PERSON.email] },
  };
  const certificateOf = async (area: ServiceKey) => {
    const path = `/external/erasures/${id}`;
    const answer = await send(processes[area].url, { method: 'GET', path, headers: caller.headers });
    return answer.body as { erasedAt: string | null; found: Record<string, number> };
  };
  for (const { area } of AREAS_OF_PERSONS) await post(area, '/external/erasures', body);
  await eventually(async () => {
    const [{ waiting }] = await dataSource.query<[{ waiting: number }]>(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
      [LATER_STEPS],
    );
    return waiting === AREAS_OF_PERSONS.length;
  });
  const killed = AREAS_OF_PERSONS.map(({ area }) => processes[area].kill());
  await letGoOn();
  await Promise.all(killed);
  for (const { area, found } of AREAS_OF_PERSONS) {
    await eventually(async () => (await certificateOf(area)).erasedAt !== null, 30_000);
    expect(await certificateOf(area)).toMatchObject({ found });
  }

  // What arrives again of what was erased brings nothing back.
  await records('contactCenter', conversationRecords('c-1', 1));
  await settled();
  expect(
    await foundInTables(
      dataSource,
      AREAS_OF_PERSONS.map(({ schema }) => schema),
    ),
  ).toEqual([]);
  expect(await rowsOfOthers(other.organizationId)).toEqual(before);
  for (const process of Object.values(processes)) expect(process.output()).not.toMatch(MARKER);
}, 120_000);
