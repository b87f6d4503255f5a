import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  badRequest,
  createSession,
  postJson,
  refreshSession,
  SESSION_NOT_FOUND,
  startWebchat,
  webchatCaller,
} from './webchat-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

describe('A2: POST /external/sessions/refresh', () => {
  it('answers 200 with a new token of the same session and its expiry, and nothing else', async () => {
    const created = (await createSession(service, caller, { id: 'u' })).body;
    const { body, headers } = await refreshSession(service, caller, created.sessionId).expect(200);
    expect(body).toEqual({
      sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      sessionTokenExpiration: expect.any(Number),
    });
    expect(claimsOf(body.sessionToken)).toMatchObject({
      ...claimsOf(created.sessionToken),
      iat: expect.any(Number),
      exp: body.sessionTokenExpiration,
    });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('moves the expiry to one hour from now, again and again', async () => {
    const { sessionId } = (await createSession(service, caller)).body;
    for (const minutesLater of [1, 59]) {
      const key = `webchat:{${caller.organizationId}}:session:${sessionId}`;
      await service.redis.hincrby(key, 'expiresAt', -minutesLater * 60);
      const start = Math.floor(Date.now() / 1_000);
      const { body } = await refreshSession(service, caller, sessionId).expect(200);
      expect(body.sessionTokenExpiration).toBeGreaterThanOrEqual(start + 3_600);
      expect(body.sessionTokenExpiration).toBeLessThanOrEqual(Date.now() / 1_000 + 3_600);
    }
  });

  it.each<[string, () => Promise<string> | string]>([
    ['never existed', () => '0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11'],
    ['is no uuid', () => 'x'.repeat(10_000)],
    [
      'differs in case',
      async () => (await createSession(service, caller, { id: 'a' })).body.sessionId.toUpperCase(),
    ],
    [
      'is of another organization',
      async () => (await createSession(service, await webchatCaller(service))).body.sessionId,
    ],
  ])('is 404 with exactly message and statusCode for a session that %s', async (_, sessionId) => {
    const { body } = await refreshSession(service, caller, await sessionId()).expect(404);
    expect(body).toEqual(SESSION_NOT_FOUND);
  });

  it('is 404 for an expired session, even if its record lingers', async () => {
    const { sessionId } = (await createSession(service, caller, { id: 'expired' })).body;
    const key = `webchat:{${caller.organizationId}}:session:${sessionId}`;
    await service.redis.hset(key, 'expiresAt', Math.floor(Date.now() / 1_000));
    const { body } = await refreshSession(service, caller, sessionId).expect(404);
    expect(body).toEqual(SESSION_NOT_FOUND);
    expect(await service.redis.exists(key)).toBe(1);
  });

  it.each<[unknown, string[]]>([
    [{}, ['sessionId must not be empty', 'sessionId must be a string']],
    [{ sessionId: null }, ['sessionId must not be empty', 'sessionId must be a string']],
    [{ sessionId: '' }, ['sessionId must not be empty']],
    [{ sessionId: 5 }, ['sessionId must be a string']],
    [{ sessionId: ['x'] }, ['sessionId must be a string']],
    [{ sessionId: 'a\0' }, ['sessionId must be Unicode text without NUL']],
    [[], ['body must be a JSON object']],
    ['text', ['body must be a JSON object']],
  ])('is 422 for %j', async (sent, sentences) => {
    const { body } = await postJson(service, '/external/sessions/refresh', caller.headers, sent).expect(422);
    expect(body).toEqual(badRequest(...sentences));
  });
});

function claimsOf(token: string): object {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
}
