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

/** Stands for the contract's hour: one that a test can wait for. */
const HOUR_SECONDS = 3;

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat({ WEBCHAT_SESSION_TTL_SECONDS: String(HOUR_SECONDS) });
});
beforeEach(async () => {
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

async function create(user?: User) {
  return (await createSession(service, caller, user).expect(201)).body;
}

async function anHourPasses(): Promise<void> {
  await sleep(HOUR_SECONDS * 1_000 + 50);
}

/** The contract's table "History outcome by caller behaviour". */
it('history is kept or lost as the contract says for each behaviour of a caller', async () => {
  const generated = await create();
  const first = {
    'the same own user.id every call': await create({ id: 'own' }),
    'the generated userId as user.id every call': generated,
    'only email, no user.id': await create({ email: 'a@b.c' }),
    'only phone, no user.id': await create({ phone: '1' }),
    'nothing, a fresh create each visit': await create(),
  };
  const visits: Record<keyof typeof first, User | undefined> = {
    'the same own user.id every call': { id: 'own' },
    'the generated userId as user.id every call': { id: generated.userId },
    'only email, no user.id': { email: 'a@b.c' },
    'only phone, no user.id': { phone: '1' },
    'nothing, a fresh create each visit': undefined,
  };
  const history = async () => {
    const outcome: Record<string, 'kept' | 'lost'> = {};
    for (const behaviour of Object.keys(first) as (keyof typeof first)[]) {
      const { conversationId } = await create(visits[behaviour]);
      outcome[behaviour] = conversationId === first[behaviour].conversationId ? 'kept' : 'lost';
    }
    return outcome;
  };

  expect(await history()).toEqual({
    'the same own user.id every call': 'kept',
    'the generated userId as user.id every call': 'kept',
    'only email, no user.id': 'kept',
    'only phone, no user.id': 'kept',
    'nothing, a fresh create each visit': 'lost',
  });
  await anHourPasses();
  expect(await history()).toEqual({
    'the same own user.id every call': 'kept',
    'the generated userId as user.id every call': 'kept',
    'only email, no user.id': 'lost',
    'only phone, no user.id': 'lost',
    'nothing, a fresh create each visit': 'lost',
  });
});

it('only sessionId, refreshed periodically: kept through refresh, lost after an hour without', async () => {
  const created = await create();
  let expiration = created.sessionTokenExpiration;
  while (expiration < created.sessionTokenExpiration + HOUR_SECONDS) {
    await sleep(100);
    expiration = (await refreshSession(service, caller, created.sessionId).expect(200)).body
      .sessionTokenExpiration;
  }
  expect((await create({ id: created.userId })).sessionId).toBe(created.sessionId);
  await anHourPasses();
  await refreshSession(service, caller, created.sessionId).expect(404);
  expect((await create()).conversationId).not.toBe(created.conversationId);
});

it('a session is reused before its expiry and never from that second on', async () => {
  const { sessionId, conversationId, sessionTokenExpiration } = await create({ id: 'u' });
  const before = async () => Number((await service.redis.time())[0]) < sessionTokenExpiration;
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
  expect(keys).toHaveLength(5);
  for (const key of keys) await service.redis.expireat(key, created.sessionTokenExpiration);

  let expiration = created.sessionTokenExpiration;
  while (expiration === created.sessionTokenExpiration) {
    expiration = (await refreshSession(service, caller, created.sessionId).expect(200)).body
      .sessionTokenExpiration;
  }
  for (const key of keys) expect(await service.redis.expiretime(key)).toBe(expiration);
});

it('an ended session leaves no key behind, and its conversation stays', async () => {
  await create({ id: 'u', phone: '1', email: 'a@b.c' });
  await anHourPasses();
  expect(await storedOf(service, caller)).toMatchObject({ keys: [], conversations: [{ user_id: 'u' }] });
});
