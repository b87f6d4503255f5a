import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  createSession,
  refreshSession,
  startWebchat,
  storedOf,
  webchatCaller,
  type User,
} from './webchat-service';

const HOUR_SECONDS = 3_600;

// The contract's table "History outcome by caller behaviour": history-outcomes.e2e.ts.

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat();
});
beforeEach(async () => {
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

async function create(user?: User) {
  return (await createSession(service, caller, user).expect(201)).body;
}

/** Puts all that Redis has of the organization so far into the past: for the service that time has passed. */
async function pass(seconds: number): Promise<void> {
  const { keys, sessions } = await storedOf(service, caller);
  const times = await Promise.all(keys.map((key) => service.redis.expiretime(key)));
  const commands = service.redis.multi();
  for (const key of sessions) commands.hincrby(key, 'expiresAt', -seconds);
  for (const [i, key] of keys.entries()) commands.expireat(key, times[i]! - seconds);
  await commands.exec();
}

it('a session is reused before its expiry and never from that second on', async () => {
  const { sessionId, conversationId, sessionTokenExpiration } = await create({ id: 'u' });
  const almostAll = HOUR_SECONDS - 2;
  await pass(almostAll);
  const before = async () => Number((await service.redis.time())[0]) < sessionTokenExpiration - almostAll;
  const seen = new Set<string>();
  for (let alive = true; alive;) {
    const aliveAtStart = await before();
    const visit = await create({ id: 'u' });
    alive = await before();
    expect(visit.conversationId).toBe(conversationId);
    if (alive) expect(visit.sessionId).toBe(sessionId);
    if (!aliveAtStart) expect(visit.sessionId).not.toBe(sessionId);
    seen.add(visit.sessionId);
    await sleep(10);
  }
  expect(await create({ id: 'u' })).not.toMatchObject({ sessionId });
  await refreshSession(service, caller, sessionId).expect(404);
  expect(seen).toContain(sessionId);
});

it('a refresh extends the session and all that it is matched by', async () => {
  const created = await create({ id: 'u', phone: '1', email: 'a@b.c' });
  await create({ phone: '1', email: 'd@e.f' });
  const { keys } = await storedOf(service, caller);
  expect(keys).toHaveLength(6);
  await pass(HOUR_SECONDS / 2);

  const { body } = await refreshSession(service, caller, created.sessionId).expect(200);
  const expiration = body.sessionTokenExpiration as number;
  expect(expiration).toBeGreaterThan(created.sessionTokenExpiration - HOUR_SECONDS / 2);
  for (const key of keys) expect(await service.redis.expiretime(key)).toBe(expiration);
});

it('an ended session leaves no key behind, and its conversation stays', async () => {
  await create({ id: 'u', phone: '1', email: 'a@b.c' });
  await pass(HOUR_SECONDS);
  expect(await storedOf(service, caller)).toMatchObject({ keys: [], conversations: [{ user_id: 'u' }] });
});
