import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from './conversation-service';
import {
  badRequest,
  caller,
  createSession,
  expireSession,
  postJson,
  refreshSession,
  service,
  SESSION_NOT_FOUND,
  storedOf,
  useWebchat,
  webchatCaller,
  type User,
} from './webchat-service';

const HOUR_SECONDS = 3_600;
const WHOLE: User = { id: 'u', phone: '1', email: 'a@b.c' };

// The contract's table "History outcome by caller behaviour": history-outcomes.e2e.ts.

useWebchat();

const create = (user?: User) => openSession(service, caller, user);

/** Puts all that Redis has of the organization so far into the past: for the service that time has passed. */
async function pass(seconds: number): Promise<void> {
  const { keys, sessions } = await storedOf(service, caller);
  const times = await Promise.all(keys.map((key) => service.redis.expiretime(key)));
  const commands = service.redis.multi();
  for (const key of sessions) commands.hincrby(key, 'expiresAt', -seconds);
  for (const [i, key] of keys.entries()) commands.expireat(key, times[i]! - seconds);
  await commands.exec();
}

describe('A2: POST /external/sessions/refresh', () => {
  it('answers 200 with a new token of the same session, which expires an hour from now, and nothing else', async () => {
    const created = await create({ id: 'u' });
    for (const minutesLater of [1, 59]) {
      await pass(minutesLater * 60);
      const start = Math.floor(Date.now() / 1_000);
      const { body, headers } = await refreshSession(service, caller, created.sessionId).expect(200);
      expect(body).toEqual({
        sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        sessionTokenExpiration: expect.any(Number),
      });
      expect(claimsOf(body.sessionToken)).toEqual({
        ...claimsOf(created.sessionToken),
        iat: expect.any(Number),
        exp: body.sessionTokenExpiration,
      });
      expect(headers['cache-control']).toBe('no-store');
      expect(body.sessionTokenExpiration).toBeGreaterThanOrEqual(start + HOUR_SECONDS);
      expect(body.sessionTokenExpiration).toBeLessThanOrEqual(Date.now() / 1_000 + HOUR_SECONDS);
    }
  });

  it('extends all that the session is matched by', async () => {
    const created = await create(WHOLE);
    await create({ phone: '1', email: 'd@e.f' });
    const { keys } = await storedOf(service, caller);
    expect(keys).toHaveLength(6);
    await pass(HOUR_SECONDS / 2);
    const { body } = await refreshSession(service, caller, created.sessionId).expect(200);
    for (const key of keys) expect(await service.redis.expiretime(key)).toBe(body.sessionTokenExpiration);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['never existed', () => '0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11'],
    ['is no uuid', () => 'x'.repeat(10_000)],
    ['differs in case', async () => (await create({ id: 'a' })).sessionId.toUpperCase()],
    [
      'is of another organization',
      async () => (await createSession(service, await webchatCaller(service))).body.sessionId,
    ],
    [
      'has expired, even if its record lingers',
      async () => {
        const { sessionId } = await create();
        await expireSession(service, caller, sessionId);
        expect((await storedOf(service, caller)).sessions).toHaveLength(1);
        return sessionId;
      },
    ],
  ])('is 404 with exactly message and statusCode for a session that %s', async (_, sessionId) => {
    const { body } = await refreshSession(service, caller, await sessionId()).expect(404);
    expect(body).toEqual(SESSION_NOT_FOUND);
  });

  it.each<[unknown, string[]]>([
    [{}, ['sessionId must not be empty', 'sessionId must be a string']],
    [{ sessionId: '' }, ['sessionId must not be empty']],
    [{ sessionId: ['x'] }, ['sessionId must be a string']],
    [{ sessionId: 'a\0' }, ['sessionId must be Unicode text without NUL']],
    [[], ['body must be a JSON object']],
  ])('is 422 for %j', async (sent, sentences) => {
    const { body } = await postJson(service, '/external/sessions/refresh', caller.headers, sent).expect(422);
    expect(body).toEqual(badRequest(...sentences));
  });
});

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

it('an ended session leaves no key behind, and its conversation stays', async () => {
  await create(WHOLE);
  await pass(HOUR_SECONDS);
  expect(await storedOf(service, caller)).toMatchObject({ keys: [], conversations: [{ user_id: 'u' }] });
});

it('when Redis is emptied, a session is gone, its conversation is found by user.id, and scripts are loaded anew', async () => {
  const { sessionId, conversationId } = await create(WHOLE);
  await service.redis.flushdb();
  await service.redis.script('FLUSH');
  await refreshSession(service, caller, sessionId).expect(404);
  const again = await create({ id: 'u' });
  expect(again).toMatchObject({ userId: 'u', conversationId });
  expect(again.sessionId).not.toBe(sessionId);
});

it.each<User>([{ id: 'u' }, { phone: '1' }, { email: 'e' }])(
  'a session that was claimed but never attached to a conversation is attached by the next create: %j',
  async (user) => {
    const { sessionId, userId, conversationId } = await create(user);
    await service.redis.hdel(`webchat:{${caller.organizationId}}:session:${sessionId}`, 'conversationId');
    await service.dataSource.query('DELETE FROM webchat.conversation WHERE id = $1', [conversationId]);

    await refreshSession(service, caller, sessionId).expect(404);
    const again = await create(user);
    expect(again).toMatchObject({ sessionId, userId });
    expect((await storedOf(service, caller)).conversations).toEqual([
      { id: again.conversationId, user_id: userId },
    ]);
  },
);

function claimsOf(token: string): object {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}
