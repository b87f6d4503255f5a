import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { eventually, type Caller } from '@cxp/service-kit/testing';
import { send, postJson, postRecords } from '../src/http';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import {
  CAMPAIGN,
  CAMPAIGN_RECORDS,
  conversationRecords,
  DIGITS,
  foundInTables,
  MARKER,
  PERSON,
  response,
} from '../src/erased-person';
import {
  newCallerWithWebchat,
  startKillableServices,
  type KillableServices,
  type ServiceKey,
} from './killable-services';
import { cxpBuilt } from '../src/operated-server';
import { sendUntilDone } from './replaceable-process';
import { isDelivered } from './chat-delivery';

const AREAS = [
  { key: 'contactCenter', schema: 'contact_center', found: { tickets: 2 } },
  { key: 'webchat', schema: 'webchat', found: { conversations: 3 } },
  { key: 'survey', schema: 'survey', found: { responses: 601, links: 1 } },
] as const;

let services: KillableServices;
let dataSource: DataSource;
let processes: KillableServices['processes'];
let redis: Redis;
let caller: Caller;
let copy: TestDatabase;

beforeAll(async () => {
  services = await startKillableServices({ LOG_LEVEL: 'debug' });
  ({ dataSource, processes } = services);
  redis = new Redis(services.stores.redis.url);
  // Otherwise long values are not found in what DUMP answers.
  await redis.config('SET', 'rdbcompression', 'no');
  caller = await newCallerWithWebchat(dataSource);
  copy = await createTestDatabase();
});
afterAll(async () => {
  redis.disconnect();
  await services.stop();
  await copy.drop();
});

const post = <Answer>(area: ServiceKey, path: string, body: object) =>
  sendUntilDone<Answer>(() => processes[area].url, postJson(path, caller, body));

const records = (area: ServiceKey, list: readonly object[]) =>
  sendUntilDone(() => processes[area].url, postRecords(caller, list));

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
      position: { lastEvent: 0 },
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

/** Every key of Redis that has the marker in its name or in what it holds. */
async function foundInRedis(): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      const content = (await redis.dumpBuffer(key))?.toString('latin1') ?? '';
      if ([key, content].some((text) => text.includes(MARKER) || text.includes(DIGITS)))
        found.push(`${key}: ${content}`);
    }
  }
  return found;
}

async function follow(): Promise<void> {
  for (const [area, { url }] of [
    ['contact-center', processes.contactCenter],
    ['survey', processes.survey],
  ] as const) {
    const environment = { CXP_URL: url, CXP_TOKEN: caller.token };
    const of = ['follow', '--area', area, '--organization', caller.organizationId];
    await cxpBuilt(environment, ...of, '--to', copy.url, '--once', '--verify');
  }
}

/** Area B has stored all that was sent to it. */
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
  for (const { schema } of AREAS) {
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

/** More of the person than one step of any area erases. */
async function storeMuch(): Promise<void> {
  const conversations = Array.from({ length: 250 }, (_, n) => conversationRecords(`d-${n}`, 0)[0]!);
  await records('contactCenter', conversations);
  await records('survey', [
    ...CAMPAIGN_RECORDS,
    ...Array.from({ length: 600 }, () => response(randomUUID())),
  ]);
  await post('survey', `/external/survey-campaigns/${CAMPAIGN}/links`, {
    name: `Link of ${MARKER}`,
    metadata_mapping: [{ metadata_id: 1, value: PERSON.email }],
  });
  for (const user of [`${PERSON.id}-2`, `${PERSON.id}-3`]) {
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

it('leaves nothing of a person anywhere, while chats and records go on and each area is killed between two steps of it', async () => {
  await storeMuch();
  const identifier = randomUUID();
  const sent = [...conversationRecords('c-1', 1), ...conversationRecords('c-2', 2)];
  const sendAgain = async () => {
    await records('contactCenter', sent);
    await records('survey', [response(identifier)]);
  };
  await sendAgain();
  const agentName = `An of ${MARKER}`;
  const chats = [await Chat.start(agentName), await Chat.start(agentName)];
  await settled();
  await follow();

  let isOver = false;
  const repeating = (async () => {
    while (!isOver) await sendAgain();
  })();
  const letGoOn = await holdLaterSteps();
  const id = randomUUID();
  const subject = { userIds: [PERSON.id], phones: [`+84-${DIGITS}`], emails: [PERSON.email.toUpperCase()] };
  for (const { key } of AREAS) await post(key, '/external/erasures', { id, subject });
  await eventually(async () => {
    const [{ waiting }] = await dataSource.query<[{ waiting: number }]>(
      `SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND NOT granted`,
      [LATER_STEPS],
    );
    return waiting === AREAS.length;
  }, 30_000);
  const killed = AREAS.map(({ key }) => processes[key].kill());
  await letGoOn();
  await Promise.all(killed);
  for (const { key, found } of AREAS) {
    const path = `/external/erasures/${id}`;
    const certificate = async () =>
      (await send(processes[key].url, { method: 'GET', path, headers: caller.headers })).body as {
        erasedAt: string | null;
      };
    await eventually(async () => (await certificate()).erasedAt !== null, 60_000);
    expect(await certificate()).toMatchObject({ found });
    expect(JSON.stringify(await certificate())).not.toContain(MARKER);
  }
  for (const chat of chats) expect([4404, 1006]).toContain(await chat.end());
  await settled();
  isOver = true;
  await repeating;
  await sendAgain();
  await records('contactCenter', [
    { type: 'ticket', data: { ...(sent[3] as { data: object }).data, conversationId: 'c-9' } },
  ]);
  await settled();

  await follow();
  expect(await foundInTables(dataSource, ['access', ...AREAS.map(({ schema }) => schema)])).toEqual([]);
  expect(await foundInRedis()).toEqual([]);
  for (const process of Object.values(processes)) expect(process.output()).not.toMatch(MARKER);
  const copied = await new DataSource({ type: 'postgres', url: copy.url }).initialize();
  expect(await foundInTables(copied, ['cxp'])).toEqual([]);
  await copied.destroy();
}, 300_000);
