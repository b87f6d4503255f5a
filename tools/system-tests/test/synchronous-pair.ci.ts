import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessDatabase } from '@cxp/auth-headers';
import { startRedis } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { openDatabase } from '@cxp/storage';
import { send, importRecords, postJson } from '../src/http';
import { databases } from '@cxp/areas/wiring';
import { contactCenter, startBuilt, survey, webchat } from '../src/service-under-test';
import { conversationRecords, PERSON } from '../src/erased-person';
import { FaultyProxy } from '@cxp/testing/local-servers';
import { newCallerWithWebchat } from './killable-services';
import { startPostgresPair } from './postgres-pair';
import { sendUntilDone } from './replaceable-process';
import { deliveringTo, expectSameChats, isDelivered } from './chat-delivery';

const CHATS = 4;

it('nothing that a synchronous pair has acknowledged is lost by a promotion, and nothing is delivered twice', async () => {
  const pair = await startPostgresPair(databases, { isSynchronous: true });
  const redis = await startRedis();
  const primary = await openDatabase(pair.primaryUrl, [accessDatabase]);
  const caller = await newCallerWithWebchat(primary);
  await primary.destroy();
  const { organizationId, headers } = caller;
  const env = {
    DATABASE_URL: pair.url,
    REDIS_URL: redis.url,
    POSTGRES_SYNCHRONOUS: 'expected',
    EXTERNAL_SURVEY_PER_MIN_LIMIT: '1000',
  };
  const areaB = await startBuilt(contactCenter, env);
  const relay = await FaultyProxy.before(() => areaB.url);
  const [areaA, areaC] = await Promise.all([
    startBuilt(webchat, { ...env, ...deliveringTo(relay) }),
    startBuilt(survey, env),
  ]);
  const services = [areaA, areaB, areaC];
  for (const { url } of services)
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^postgres_synchronous\{.*\} 1$/m);

  // Acknowledged before: sessions, a count of calls, an erasure.
  const sessions: { sessionId: string; conversationId: string }[] = [];
  for (let n = 0; n < CHATS; n += 1) {
    const body = { organizationId, installedSourceId: 1, user: { id: `user-${n}` } };
    const { status, body: session } = await send(areaA.url, postJson('/external/sessions', caller, body));
    expect(status).toBe(201);
    sessions.push(session as (typeof sessions)[number]);
  }
  const campaigns = { method: 'GET', path: '/external/survey-campaigns', headers };
  const remaining = async () => Number((await send(areaC.url, campaigns)).headers['ratelimit-remaining']);
  const before = await remaining();
  await importRecords(areaB.url, caller, conversationRecords('of-hoa', 1));
  const erasure = { id: randomUUID(), subject: { userIds: [PERSON.id] } };
  const erased = await send(areaB.url, postJson('/external/erasures', caller, erasure));
  expect([erased.status, (erased.body as { erasedAt: string }).erasedAt]).toEqual([200, expect.any(String)]);

  // Chats go on while the primary is lost.
  let isOver = false;
  let written = 0;
  const writers = sessions.map(async ({ conversationId }, writer) => {
    for (let n = 1; !isOver; n += 1) {
      const post = (what: string, body: object) =>
        sendUntilDone(
          () => areaA.url,
          postJson(`/internal/conversations/${conversationId}/${what}`, caller, body),
        );
      await post('messages', { id: `m-${writer}-${n}`, senderType: 'agent', text: 'Hello' });
      const action = n % 2 ? 'assign' : 'route_to_human';
      const agent = { accountId: n, name: `Agent ${n}` };
      const occurredAt = new Date().toISOString();
      await post('activities', { id: `a-${writer}-${n}`, action, occurredAt, agent });
      written += 2;
    }
  });
  await sleep(2_000);
  await pair.failOver();
  await sleep(3_000);
  isOver = true;
  await Promise.all(writers);
  await Promise.all(
    services.map(({ url }) => eventually(async () => (await fetch(`${url}/health/ready`)).ok, 60_000)),
  );

  const dataSource = await openDatabase(pair.url, [accessDatabase]);
  await eventually(() => isDelivered(dataSource), 60_000);
  // What was erased is in area B only.
  const [messages, activities] = await expectSameChats(dataSource);
  expect(messages! + activities!).toBe(written);
  await dataSource.destroy();

  for (const [n, session] of sessions.entries()) {
    const body = { organizationId, installedSourceId: 1, user: { id: `user-${n}` } };
    const again = await send(areaA.url, postJson('/external/sessions', caller, body));
    expect(again.body).toMatchObject({
      sessionId: session.sessionId,
      conversationId: session.conversationId,
    });
  }
  expect(await remaining()).toBeLessThan(before);
  const certificate = { method: 'GET', path: `/external/erasures/${erasure.id}`, headers };
  expect((await send(areaB.url, certificate)).body).toEqual(erased.body);
  await importRecords(areaB.url, caller, conversationRecords('of-hoa', 1));
  const rows = { method: 'GET', path: '/external/conversation-sessions/of-hoa', headers };
  expect((await send(areaB.url, rows)).status).toBe(404);

  await Promise.all([...services.map((service) => service.stop()), relay.close()]);
  await redis.stop();
  await pair.remove();
}, 180_000);
