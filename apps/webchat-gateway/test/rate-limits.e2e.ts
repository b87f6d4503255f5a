import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  createSession,
  postJson,
  postText,
  startWebchat,
  storedOf,
  TOO_MANY_REQUESTS,
  webchatCaller,
} from './webchat-service';

const CREATE = 'SessionController.create';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat({ EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '2', EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '3' });
});
beforeEach(async () => {
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

describe('the rate limits of area A', () => {
  it('answer 429 with the exact body, Retry-After and RateLimit-*', async () => {
    expect(await firstCall()).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '1',
      'ratelimit-policy': '2;w=1, 3;w=60',
    });
    expect((await createSession(service, caller).expect(201)).headers['ratelimit-remaining']).toBe('0');

    const { body, headers } = await createSession(service, caller).expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({
      'retry-after': '50',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '50',
      'ratelimit-policy': '2;w=1, 3;w=60',
    });
  });

  it("come after authentication: nobody spends another organization's allowance", async () => {
    const other = await webchatCaller(service);
    const foreign = { ...other.headers, 'organization-id': caller.organizationId };
    for (let i = 0; i < 5; i++) await postJson(service, '/external/sessions', foreign, {}).expect(401);
    expect((await firstCall())['ratelimit-remaining']).toBe('1');
  });

  it('refuse without storing anything', async () => {
    await useUp(CREATE);
    await createSession(service, caller, { id: 'u' }).expect(429);
    expect(await storedOf(service, caller)).toEqual({ conversations: [], keys: [], sessions: [] });
  });

  it('do not count record intake, health or metrics', async () => {
    for (const path of ['/health/live', '/metrics']) {
      const { headers } = await fetch(service.url + path);
      expect([...headers.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
    }
    for (let i = 0; i < 4; i++) await postText(service, '/internal/records', caller.headers, '').expect(422);
  });
});

/** Makes a call and keeps its per-second window open for 50 seconds, so that no test depends on how fast it runs. */
async function firstCall(): Promise<Record<string, string>> {
  const { headers } = await createSession(service, caller).expect(201);
  await service.redis.pexpire(windowKey(CREATE, 1), 50_000);
  return headers;
}

async function useUp(endpoint: string): Promise<void> {
  await service.redis.set(windowKey(endpoint, 60), 3, 'PX', 50_000);
}

function windowKey(endpoint: string, seconds: number): string {
  return `rate-limit:{organization:${caller.organizationId}:${endpoint}}:${seconds}`;
}
