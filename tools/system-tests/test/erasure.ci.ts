import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { ChatSocket, type CreatedSession } from '@cxp/client';
import { eventually, type Caller } from '@cxp/service-kit/testing';
import { postJson, postRecords } from '../src/workloads';
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
} from './erased-person';
import {
  newCallerWithWebchat,
  startKillableServices,
  type KillableServices,
  type ServiceKey,
} from './killable-services';
import { cxpBuilt } from '../src/operated-server';
import { sendUntilDone } from './replaceable-process';
import { isDelivered } from './chat-delivery';

const IDENTIFIERS = [
  '--user-id',
  PERSON.id,
  '--phone',
  `+84-${DIGITS}`,
  '--email',
  PERSON.email.toUpperCase(),
];

let services: KillableServices;
let dataSource: DataSource;
let processes: KillableServices['processes'];
let redis: Redis;
let caller: Caller;
let copy: TestDatabase;
let directory: string;

beforeAll(async () => {
  services = await startKillableServices();
  ({ dataSource, processes } = services);
  redis = new Redis(services.stores.redis.url);
  directory = await mkdtemp(join(tmpdir(), 'cxp-erasure-'));
}, 90_000);
beforeEach(async () => {
  caller = await newCallerWithWebchat(dataSource);
  copy = await createTestDatabase();
});
afterEach(() => copy.drop());
afterAll(async () => {
  redis.disconnect();
  await services.stop();
  await rm(directory, { recursive: true });
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
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

async function follow(area: 'contact-center' | 'survey', url: string): Promise<void> {
  const environment = { DATABASE_URL: services.stores.postgres.url, CXP_URL: url, CXP_TOKEN: caller.token };
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
  const { postgres, redis } = services.stores;
  const environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
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

/** Area B has stored all that was sent to it. */
async function settled(): Promise<void> {
  await eventually(() => isDelivered(dataSource), 60_000);
}

it('leaves nothing of a person anywhere, while chats and records go on and processes are killed', async () => {
  const identifier = randomUUID();
  const sent = [...conversationRecords('c-1', 1), ...conversationRecords('c-2', 2)];
  await records('contactCenter', sent);
  await records('survey', [...CAMPAIGN_RECORDS, response(identifier)]);
  await post('survey', `/external/survey-campaigns/${CAMPAIGN}/links`, {
    name: `Link of ${MARKER}`,
    metadata_mapping: [{ metadata_id: 1, value: PERSON.email }],
  });
  const agentName = `An of ${MARKER}`;
  const chats = [await Chat.start(agentName), await Chat.start(agentName)];
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
  const file = join(directory, 'certificates.ndjson');
  const erasing = erase(...IDENTIFIERS, '--certificates', file);
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
}, 300_000);
