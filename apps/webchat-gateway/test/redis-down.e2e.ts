import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import request from 'supertest';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { startRedis } from '@cxp/testing/local-servers';
import { postToConversation } from './conversation-service';
import { createSession, refreshSession, startWebchat, webchatCaller } from './webchat-service';

const UNAVAILABLE = { message: 'Service Unavailable', statusCode: 503 };

type Server = Awaited<ReturnType<typeof startRedis>>;

let redis: Server;
let service: TestService;
let caller: Caller;

beforeAll(async () => {
  redis = await startRedis();
  service = await startWebchat({ REDIS_URL: redis.url });
  caller = await webchatCaller(service);
});
afterAll(async () => {
  await service.stop();
  await redis.stop();
});

function readiness() {
  return request(service.url).get('/health/ready');
}

async function isReady(): Promise<boolean> {
  return (await readiness()).status === 200;
}

// While Redis hangs: tools/system-tests/test/store-faults.ci.ts.
describe('while Redis is down', () => {
  let sessionId: string;
  let conversationId: string;
  beforeAll(async () => {
    ({ sessionId, conversationId } = (await createSession(service, caller, { id: 'u' }).expect(201)).body);
    await redis.stop();
  });
  afterAll(async () => {
    redis = await startRedis({ port: Number(new URL(redis.url).port) });
    await eventually(isReady);
    await createSession(service, caller, { id: 'u' }).expect(201);
  });

  it('every external call is 503 with Retry-After, in the envelope: no limit can be kept', async () => {
    for (const call of [createSession(service, caller), refreshSession(service, caller, sessionId)]) {
      const { body, headers } = await call.expect(503);
      expect(body).toEqual(UNAVAILABLE);
      expect(headers['retry-after']).toBe('1');
    }
  });

  it('one warning says that nothing is published, however much there is', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const typing = { senderType: 'agent', active: true };
    for (let count = 0; count < 3; count++) {
      await postToConversation(service, caller, conversationId, 'typing', typing).expect(204);
    }
    const warnings = () => warn.mock.calls.filter(([text]) => /are not published/.test(String(text)));
    await eventually(() => warnings().length > 0);
    await sleep(100);
    expect(warnings()).toHaveLength(1);
    warn.mockRestore();
  });

  it('the service is alive but not ready, and says why', async () => {
    await request(service.url).get('/health/live').expect(200, { status: 'ok' });
    const { body } = await readiness().expect(503);
    expect(body).toEqual({
      ready: false,
      pid: process.pid,
      checks: { postgres: 'up', redis: 'down', shutdown: 'up' },
    });
  });
});

it.each([
  ['run scripts', '-@scripting', '+@scripting', /may not|permission/],
  ['subscribe', 'resetchannels', 'allchannels', /channel/],
])('a service whose Redis user may not %s is not ready, and says so', async (_, lost, regained, reason) => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  await eventually(isReady);
  await service.redis.call('ACL', 'SETUSER', 'default', lost);
  await eventually(async () => !(await isReady()), 10_000);
  const { body } = await readiness().expect(503);
  expect(body.checks).toMatchObject({ postgres: 'up', redis: 'down' });
  // The connection that subscribed is closed first.
  await eventually(async () => {
    await readiness();
    return warn.mock.calls.some(([text]) => reason.test(String(text)));
  }, 10_000);
  await service.redis.call('ACL', 'SETUSER', 'default', regained);
  await eventually(isReady);
  warn.mockRestore();
});
