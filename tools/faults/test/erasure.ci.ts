import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { addToStream, recordStream } from '@cxp/record-intake';
import { eventually, issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { ALL_AREAS, contactCenter, startBuilt, survey, webchat } from '@cxp/services/service-under-test';
import { postJson, postRecords } from '@cxp/services/workloads';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { cxpBuilt } from '../src/operated-server';
import { startOwnStores, type OwnStores } from '../src/own-stores';
import { ReplaceableProcess } from '../src/replaceable-process';
import { sendUntilDone } from '../src/send-until-done';

/** Stands in every text of the person; the digits, in the phone. */
const MARKER = 'zq7xhoa';
const DIGITS = '99887766554';
const PERSON = {
  id: `${MARKER}-4711`,
  name: `Hoa ${MARKER}`,
  email: `${MARKER}@example.com`,
  phone: `+84 ${DIGITS}`,
};
const IDENTIFIERS = [
  '--user-id',
  PERSON.id,
  '--phone',
  `+84-${DIGITS}`,
  '--email',
  PERSON.email.toUpperCase(),
];

const CAMPAIGN = '3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a5b';
const START = Date.parse('2026-01-05T02:00:00.000Z');

let stores: OwnStores;
let dataSource: DataSource;
let redis: Redis;
let caller: Caller;
let processes: Record<'webchat' | 'contactCenter' | 'survey', ReplaceableProcess>;
let copy: TestDatabase;
let directory: string;

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  dataSource = await new DataSource({ type: 'postgres', url: stores.postgres.url }).initialize();
  redis = new Redis(stores.redis.url);
  directory = await mkdtemp(join(tmpdir(), 'cxp-erasure-'));
}, 90_000);

beforeEach(async () => {
  caller = await issueTestToken(dataSource);
  copy = await createTestDatabase();
  await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
    caller.organizationId,
  ]);
  const environment = { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url, LOG_LEVEL: 'debug' };
  const [a, b, c] = await Promise.all(
    [webchat, contactCenter, survey].map((service) =>
      ReplaceableProcess.start(() => startBuilt(service, environment)),
    ),
  );
  processes = { webchat: a!, contactCenter: b!, survey: c! };
});
afterEach(async () => {
  await Promise.all(Object.values(processes).map((process) => process.stop()));
  await copy.drop();
});

afterAll(async () => {
  redis.disconnect();
  await dataSource.destroy();
  await stores.remove();
  await rm(directory, { recursive: true });
});

type Area = keyof typeof processes;

const post = <Answer>(area: Area, path: string, body: object) =>
  sendUntilDone<Answer>(() => processes[area].url, postJson(path, caller, body));

const records = (area: Area, list: readonly object[]) =>
  sendUntilDone(() => processes[area].url, postRecords(caller, list));

const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

/** What the platform sends to area B of a conversation that is not a chat. */
function conversationRecords(id: string, ticket: number): object[] {
  const of = { conversationId: id };
  return [
    {
      type: 'conversation',
      data: {
        id,
        createdAt: at(0),
        updatedAt: at(20),
        customer: { filumId: PERSON.id, name: PERSON.name, phone: PERSON.phone, email: PERSON.email },
      },
    },
    {
      type: 'activity',
      data: {
        id: `${id}-a`,
        ...of,
        action: 'assign',
        occurredAt: at(1),
        agent: { email: 'an@example.com', name: 'An' },
      },
    },
    { type: 'message', data: { id: `${id}-m`, ...of, senderType: 'agent', sentAt: at(2) } },
    {
      type: 'ticket',
      data: {
        id: ticket,
        ...of,
        createdAt: at(3),
        updatedAt: at(3),
        subject: `Parcel of ${MARKER}`,
        description: `Call ${DIGITS}`,
        customFields: { note: MARKER },
      },
    },
    {
      type: 'conversation_survey',
      data: { id: `${id}-s`, ...of, rating: 4, feedback: `Thanks, ${MARKER}`, submittedAt: at(4) },
    },
  ];
}

const CAMPAIGN_RECORDS = [
  {
    type: 'survey_campaign',
    data: {
      id: CAMPAIGN,
      name: 'After a chat',
      status: 'active',
      survey_questions: [
        { id: 1, type: 'text', title: 'Why?' },
        {
          id: 2,
          type: 'multiple_choice',
          metric_type: 'nps',
          title: 'How?',
          option_titles_by_id: { '1': '1', '2': '2' },
        },
      ],
    },
  },
  { type: 'metadata_field', data: { id: 1, name: 'Customer', variable: 'customer' } },
];

function response(identifier: string): object {
  return {
    type: 'survey_response',
    data: {
      identifier,
      survey_campaign_id: CAMPAIGN,
      answered_timestamp: at(5),
      user_name: PERSON.name,
      user_phone: PERSON.phone,
      user_email: PERSON.email,
      source: 'Email',
      transaction_id: `t-${MARKER}`,
      tags: [MARKER],
      metadata_mappings: { customer: PERSON.id },
      answers: { '1': `Because of ${MARKER}`, '2': '2' },
    },
  };
}

/** A chat in which both sides go on writing until it is over. */
class Chat {
  private isOver = false;
  private readonly closed: Promise<number>;
  private readonly writing: Promise<void>;

  private constructor(
    readonly session: CreatedSession,
    private readonly socket: WebSocket,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    this.writing = this.write();
  }

  static async start(agentName: string): Promise<Chat> {
    const session = await post<CreatedSession>('webchat', '/external/sessions', {
      organizationId: caller.organizationId,
      installedSourceId: 1,
      user: PERSON,
    });
    const path = `/internal/conversations/${session.conversationId}`;
    const agent = { accountId: 7, email: 'an@example.com', name: agentName };
    await post('webchat', `${path}/activities`, { id: randomUUID(), action: 'assign', agent });
    const client = new ChatSocket(session, {
      position: { lastEvent: 0, lastSequence: 0 },
      renewToken: () => Promise.reject(new Error('not needed')),
      WebSocket: LocalSocket,
    });
    await client.sendMessage(`I am ${MARKER}`);
    const requested = new Promise((resolve) => client.on('rating.requested', resolve));
    await post('webchat', `${path}/activities`, {
      id: randomUUID(),
      action: 'route_to_rating',
      agent,
    });
    await requested;
    await client.rate({ rating: 5, feedback: `Bye, ${MARKER}` });
    client.close();
    const { pathname, search } = new URL(session.websocketUrl);
    const socket = new WebSocket(processes.webchat.url.replace('http', 'ws') + pathname + search, [], {
      headers: { authorization: `Bearer ${session.sessionToken}` },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Chat(session, socket);
  }

  private async write(): Promise<void> {
    for (let count = 0; !this.isOver && this.socket.readyState === WebSocket.OPEN; count++) {
      const frame = { type: 'message.send', clientId: `c-${count}`, text: `${MARKER} ${count}` };
      this.socket.send(JSON.stringify(frame));
      await sleep(20);
    }
  }

  /** @returns with which code the service has closed it */
  async end(): Promise<number> {
    const code = await this.closed;
    this.isOver = true;
    await this.writing;
    return code;
  }
}

class LocalSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    const { pathname, search } = new URL(url);
    super(processes.webchat.url.replace('http', 'ws') + pathname + search, protocols);
  }
}

/** Every place of PostgreSQL that has the marker: table and row. */
async function foundInTables(source: DataSource, schemas: readonly string[]): Promise<string[]> {
  const tables = await source.query<{ name: string }[]>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema = ANY ($1) AND table_type = 'BASE TABLE'`,
    [schemas],
  );
  expect(tables.length).toBeGreaterThan(1);
  const hex = Buffer.from(MARKER).toString('hex');
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await source.query<{ row: string }[]>(
      `SELECT stored::text AS row FROM ${name} AS stored
       WHERE stored::text ILIKE $1 OR stored::text LIKE $2 OR stored::text ILIKE $3`,
      [`%${MARKER}%`, `%${DIGITS}%`, `%${hex}%`],
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** Every key of Redis that has the marker in its name or in what it holds. */
async function foundInRedis(): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      const content = await contentOf(key);
      if ([key, content].some((text) => text.includes(MARKER) || text.includes(DIGITS)))
        found.push(`${key}: ${content}`);
    }
  }
  return found;
}

async function contentOf(key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, 0, -1));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

async function follow(area: 'contact-center' | 'survey', url: string): Promise<void> {
  const environment = { DATABASE_URL: stores.postgres.url, CXP_URL: url, CXP_TOKEN: caller.token };
  await cxpBuilt(
    environment,
    'follow',
    '--area',
    area,
    '--organization',
    caller.organizationId,
    '--to',
    copy.url,
    '--once',
    '--verify',
  );
}

async function erase(...options: string[]) {
  const environment = { DATABASE_URL: stores.postgres.url, REDIS_URL: stores.redis.url };
  const stdout = await cxpBuilt(
    environment,
    'erase',
    '--organization',
    caller.organizationId,
    '--json',
    ...options,
  );
  expect(stdout).not.toContain(MARKER);
  const { certificates } = JSON.parse(stdout) as {
    certificates: { area: string; found: Record<string, number> }[];
  };
  return Object.fromEntries(certificates.map(({ area, found }) => [area, found]));
}

/** Area B has stored all that it was told. */
async function settled(): Promise<void> {
  await eventually(async () => {
    const waiting: unknown[] = await dataSource.query('SELECT FROM webchat.outbox LIMIT 1');
    return waiting.length === 0 && (await redis.xlen(recordStream('contact-center'))) === 0;
  }, 60_000);
}

it.each(['delete', 'anonymize'])(
  'leaves nothing of a person anywhere, while chats and records go on and processes are killed: %s',
  async (mode) => {
    const identifier = randomUUID();
    const sent = [...conversationRecords('c-1', 1), ...conversationRecords('c-2', 2)];
    await records('contactCenter', sent);
    await records('survey', [...CAMPAIGN_RECORDS, response(identifier)]);
    await post('survey', `/external/survey-campaigns/${CAMPAIGN}/links`, {
      name: `Link of ${MARKER}`,
      metadata_mapping: [{ metadata_id: 1, value: PERSON.email }],
    });
    // Area B keeps agents when it anonymizes.
    const agentName = mode === 'delete' ? `An of ${MARKER}` : 'An';
    const chats = [await Chat.start(agentName), await Chat.start(agentName)];
    // Put aside, because its time is none.
    const unreadable = {
      organizationId: caller.organizationId,
      type: 'message',
      data: { id: `c-1-${MARKER}`, conversationId: 'c-1', senderType: MARKER, sentAt: 'yesterday' },
    };
    await addToStream(redis, 'contact-center', [{ record: unreadable }]);
    await follow('contact-center', processes.contactCenter.url);
    await follow('survey', processes.survey.url);

    let isOver = false;
    const repeating = (async () => {
      while (!isOver) {
        await records('contactCenter', sent);
        await records('survey', [response(identifier)]);
      }
    })();
    expect(Object.keys(await erase(...IDENTIFIERS, '--dry-run'))).toEqual([
      'contact-center',
      'webchat',
      'survey',
    ]);
    const file = join(directory, mode);
    const erasing = erase(...IDENTIFIERS, '--mode', mode, '--certificates', file);
    await sleep(400);
    for (const area of ['webchat', 'contactCenter', 'survey'] as const) await processes[area].kill();
    const found = await erasing;
    expect(found).toMatchObject({
      webchat: { conversations: 1 },
      'contact-center': { tickets: 2 },
      survey: { responses: 1, links: 1 },
    });
    for (const chat of chats) expect([4404, 1006]).toContain(await chat.end());
    await settled();
    isOver = true;
    await repeating;
    // What a chat sent to area B while area B was erased.
    await erase(...IDENTIFIERS, '--mode', mode);
    await records('contactCenter', sent);
    await records('contactCenter', [
      { type: 'ticket', data: { ...(sent[3] as { data: object }).data, conversationId: 'c-9' } },
    ]);
    await records('survey', [response(identifier)]);
    await settled();

    await follow('contact-center', processes.contactCenter.url);
    await follow('survey', processes.survey.url);
    expect(await foundInTables(dataSource, ['webchat', 'contact_center', 'survey', 'access'])).toEqual([]);
    expect(await foundInRedis()).toEqual([]);
    for (const process of Object.values(processes)) expect(process.output()).not.toMatch(MARKER);
    const copied = await new DataSource({ type: 'postgres', url: copy.url }).initialize();
    expect(await foundInTables(copied, ['public'])).toEqual([]);
    await copied.destroy();
    const certificates = await readFile(file, 'utf8');
    expect(certificates).not.toContain(MARKER);
    expect(certificates.trim().split('\n')).toHaveLength(3);
  },
  300_000,
);

/** The advisory lock that the later steps of an erasure need while `holdLaterSteps` holds it. */
const LATER_STEPS = 4711;

/** Every erasure comes to a stop in a step after its first. @returns what lets them go on */
async function holdLaterSteps(): Promise<() => Promise<void>> {
  await dataSource.query(
    `CREATE OR REPLACE FUNCTION hold_later_step() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF OLD.found::text <> '{}' THEN PERFORM pg_advisory_xact_lock_shared(${LATER_STEPS}); END IF;
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
    metadata_mapping: [{ metadata_id: 1, value: PERSON.id }],
  });
  for (const user of [PERSON.id, `${PERSON.id}-2`]) {
    const conversation = randomUUID();
    await dataSource.query(
      'INSERT INTO webchat.conversation (organization_id, id, user_id, user_email) VALUES ($1, $2, $3, $4)',
      [caller.organizationId, conversation, user, PERSON.email],
    );
    await dataSource.query(
      `INSERT INTO webchat.message (organization_id, conversation_id, sequence, id, sender_type, text, sent_at)
       SELECT $1, $2::uuid, n, n::text || $2::text, 'agent', $3, now() FROM generate_series(1, 2250) AS n`,
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
  await post('webchat', '/external/sessions', {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user: { id: OTHER, name: OTHER, email: `${OTHER}@example.com` },
  });
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
    found.push(...rows.map(({ row }) => `${name}: ${row}`).sort());
  }
  return found;
}

it.each(['delete', 'anonymize'])(
  'goes on in each area where a killed process has left it between two steps, and leaves others as they are: %s',
  async (mode) => {
    const own = caller;
    const other = await issueTestToken(dataSource);
    await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
      other.organizationId,
    ]);
    caller = other;
    await storeOther();
    caller = own;
    await storeOther();
    await storeMuch();
    await settled();
    const before = await rowsOfOthers(other.organizationId);
    expect(before.length).toBeGreaterThan(10);

    const letGoOn = await holdLaterSteps();
    const id = randomUUID();
    const body = {
      id,
      mode,
      subject: { userIds: [PERSON.id], phones: [PERSON.phone], emails: [PERSON.email] },
    };
    const certificateOf = async (area: Area) => {
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
  },
  120_000,
);
