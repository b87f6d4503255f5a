import { cp, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { recordStream } from '@cxp/record-intake';
import { eventually, issueTestToken, type Caller } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/local-servers';
import { startOwnStores, type OwnStores } from '../src/own-stores';
import { sendUntilDone } from '../src/send-until-done';
import { ALL_AREAS, contactCenter, startBuilt, webchat } from '@cxp/services/service-under-test';
import { postJson } from '@cxp/services/workloads';
import { runs, seededRandom } from '@cxp/testing';

/** So often something fails. */
const FAULTS = runs(6);

const CONVERSATIONS = 8;

/** Within this time after Redis came back everything is where it belongs, in milliseconds. */
const DELIVERED_WITHIN_MS = 60_000;

let stores: OwnStores;
let dataSource: DataSource;
let redis: Redis;
let caller: Caller;
let gateway: ServiceProcess;
let areaB: ServiceProcess;
let environment: Record<string, string>;

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  dataSource = await new DataSource({ type: 'postgres', url: stores.postgres.url }).initialize();
  redis = new Redis(stores.redis.url);
  redis.on('error', () => undefined);
  caller = await issueTestToken(dataSource);
  environment = {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    LOG_LEVEL: 'warn',
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
  gateway = await startBuilt(webchat, environment);
  areaB = await startBuilt(contactCenter, environment);
}, 90_000);

afterAll(async () => {
  await Promise.all([gateway.stop(), areaB.stop()]);
  redis.disconnect();
  await dataSource.destroy();
  await stores.remove();
});

/** Conversations as they are after sessions were created, which takes a Redis that is well. */
async function createConversations(): Promise<string[]> {
  const rows: { id: string }[] = await dataSource.query(
    `INSERT INTO webchat.conversation (organization_id, user_id)
     SELECT $1, gen_random_uuid() FROM generate_series(1, $2) RETURNING id`,
    [caller.organizationId, CONVERSATIONS],
  );
  return rows.map(({ id }) => id);
}

const post = (conversationId: string, what: string, body: object) =>
  sendUntilDone(
    () => gateway.url,
    postJson(`/internal/conversations/${conversationId}/${what}`, caller, body),
  );

function message(id: string): object {
  return { id, senderType: 'agent', text: id };
}

async function rows(sql: string): Promise<string[]> {
  const found: { row: string }[] = await dataSource.query(sql);
  return found.map(({ row }) => row);
}

/** Waits until area B holds what webchat holds, then compares, with the order in which activities arrived. */
async function expectDelivered(): Promise<number> {
  const deadline = performance.now() + DELIVERED_WITHIN_MS;
  const waiting = () => rows('SELECT position::text AS row FROM webchat.outbox');
  const messages = (area: string) => rows(`SELECT id AS row FROM ${area}.message ORDER BY id COLLATE "C"`);
  const sent = await messages('webchat');
  while (performance.now() < deadline) {
    if ((await messages('contact_center')).length >= sent.length && (await waiting()).length === 0) break;
    await sleep(100);
  }
  expect(await messages('contact_center')).toEqual(sent);
  expect(await waiting()).toEqual([]);
  const activities = (area: string, order: string) =>
    rows(`SELECT id AS row FROM ${area}.activity ORDER BY conversation_id::text, ${order}`);
  expect(await activities('contact_center', 'arrival')).toEqual(
    await activities('webchat', "split_part(id, '-', -1)::int"),
  );
  return sent.length;
}

it('messages that were in Redis when it was emptied reach area B by themselves', async () => {
  const [conversation] = await createConversations();
  await areaB.stop();
  const before = await redis.xlen(recordStream('contact-center'));
  for (let i = 0; i < 10; i++) await post(conversation!, 'messages', message(`emptied-${i}`));
  await eventually(async () => (await redis.xlen(recordStream('contact-center'))) > before);
  await sleep(1_000);
  await redis.flushall();
  areaB = await startBuilt(contactCenter, environment);
  await expectDelivered();
}, 120_000);

it(
  'nothing is lost while Redis is killed, emptied and set back at random',
  async () => {
    const random = seededRandom('faults of Redis');
    const conversations = await createConversations();
    const occurredAt = new Date().toISOString();
    let isOver = false;
    const writers = conversations.map(async (conversation, writer) => {
      for (let n = 1; !isOver; n++) {
        await post(conversation, 'messages', message(`${writer}-${n}`));
        // All at the same time: only the order of their arrival tells them apart.
        await post(conversation, 'activities', {
          id: `${conversation}:${writer}-${n}`,
          action: n % 2 ? 'assign' : 'route_to_human',
          occurredAt,
          agent: { accountId: n, email: `${n}@example.com`, name: `Agent ${n}` },
        });
      }
    });
    const snapshot = `${stores.redis.directory}.snapshot`;
    const faults: Record<string, () => Promise<unknown>> = {
      emptied: () => redis.flushall().catch(() => undefined),
      killed: async () => {
        await stores.redis.kill();
        await stores.redis.start();
      },
      'set back': async () => {
        await cp(stores.redis.directory, snapshot, { recursive: true });
        await sleep(1_000 * random());
        await stores.redis.kill();
        await rm(stores.redis.directory, { recursive: true });
        await cp(snapshot, stores.redis.directory, { recursive: true });
        await rm(snapshot, { recursive: true });
        await stores.redis.start();
      },
      'area B restarted': async () => {
        await areaB.stop();
        areaB = await startBuilt(contactCenter, environment);
      },
    };
    const counts: Record<string, number> = {};
    const names = Object.keys(faults);
    for (let fault = 0; fault < FAULTS; fault++) {
      await sleep(1_000 * random());
      // The first of them are all that there are.
      const name = names[fault < names.length ? fault : Math.floor(random() * names.length)]!;
      await faults[name]!();
      counts[name] = (counts[name] ?? 0) + 1;
    }
    isOver = true;
    await Promise.all(writers);
    const overAt = performance.now();
    const messages = await expectDelivered();
    const seconds = Math.round((performance.now() - overAt) / 1_000);
    console.log(`${messages} messages, ${JSON.stringify(counts)}, all delivered after ${seconds} s`);
  },
  120_000 + 20_000 * FAULTS,
);
