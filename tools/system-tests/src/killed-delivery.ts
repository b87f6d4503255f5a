import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { eventually, issueTestToken } from '@cxp/service-kit/testing';
import { ALL_AREAS, contactCenter, startBuilt, webchat } from './service-under-test';
import { postJson } from './workloads';
import { seededRandom } from '@cxp/testing';
import { FaultyProxy } from './faulty-proxy';
import { startOwnStores, type StoppableServer } from './own-stores';
import { killAtRandom, ReplaceableProcess, sendUntilDone } from './replaceable-process';
import { deliveringTo, expectSameChats, isDelivered } from './same-chats';

const CONVERSATIONS = 8;

/** Within this time after the last kill area B has everything, in milliseconds. */
const DELIVERED_WITHIN_MS = 90_000;

/**
 * Chats go on while webchat-gateway, contact-center-export, PostgreSQL and Redis are killed at random. Afterwards area B holds exactly what
 * webchat's log holds, in its order.
 */
export async function expectDeliveredThroughKills(durationMs: number): Promise<void> {
  const stores = await startOwnStores(ALL_AREAS);
  const env = {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    LOG_LEVEL: 'warn',
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
  const connectTo = () => new DataSource({ type: 'postgres', url: stores.postgres.url }).initialize();
  let dataSource = await connectTo();
  const caller = await issueTestToken(dataSource);
  const conversations: { id: string }[] = await dataSource.query(
    `INSERT INTO webchat.conversation (organization_id, user_id)
     SELECT $1, gen_random_uuid() FROM generate_series(1, $2) RETURNING id`,
    [caller.organizationId, CONVERSATIONS],
  );
  await dataSource.destroy();
  const areaB = await ReplaceableProcess.start(() => startBuilt(contactCenter, env));
  const relay = await FaultyProxy.before(() => areaB.url);
  const gateways = await Promise.all(
    [0, 1].map(() => ReplaceableProcess.start(() => startBuilt(webchat, { ...env, ...deliveringTo(relay) }))),
  );
  const restart = async (store: StoppableServer) => {
    await store.kill();
    await store.start();
  };
  const kills: Record<string, () => Promise<unknown>> = {
    'a gateway': () => gateways[0]!.kill(),
    'the other gateway': () => gateways[1]!.kill(),
    'area B': () => areaB.kill(),
    PostgreSQL: () => restart(stores.postgres),
    Redis: () => restart(stores.redis),
  };

  const random = seededRandom('kills of the delivery');
  const endsAt = performance.now() + durationMs;
  let written = 0;
  const writers = conversations.map(async ({ id }, writer) => {
    const post = (what: string, body: object, n: number) =>
      sendUntilDone(
        () => gateways[n % 2]!.url,
        postJson(`/internal/conversations/${id}/${what}`, caller, body),
      );
    for (let n = 1; performance.now() < endsAt; n++) {
      await post('messages', { id: `m-${writer}-${n}`, senderType: 'agent', text: 'Hello' }, n);
      // All at one time: only the order of their arrival distinguishes them.
      const occurredAt = '2026-01-05T12:00:00.000Z';
      const agent = { accountId: n, name: `Agent ${n}` };
      const action = n % 5 === 0 ? 'end_conversation' : n % 2 ? 'assign' : 'route_to_human';
      await post('activities', { id: `a-${writer}-${n}`, action, occurredAt, agent }, n + 1);
      written += 2;
      await sleep(random() * 100);
    }
  });
  const counts = await killAtRandom(kills, random, () => 1_500 * random(), endsAt);
  await Promise.all(writers);

  dataSource = await connectTo();
  await eventually(() => isDelivered(dataSource), DELIVERED_WITHIN_MS);
  const [messages, activities] = await expectSameChats(dataSource);
  expect(messages! + activities!).toBe(written);
  console.log(`${written} written, killed: ${JSON.stringify(counts)}`);
  await dataSource.destroy();
  await relay.close();
  await Promise.all([...gateways, areaB].map((process) => process.stop()));
  await stores.remove();
}
