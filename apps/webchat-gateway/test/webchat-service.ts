import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { webchatDatabase } from '../src/database';
import { webchatGateway } from '../src/service';

const SIGNING_KEY = 'current:0123456789abcdef0123456789abcdef';

export function startWebchat(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(webchatGateway, webchatDatabase, {
    WEBCHAT_WEBSOCKET_URL: 'wss://webchat.test/sessions',
    WEBCHAT_SESSION_TOKEN_KEYS: SIGNING_KEY,
    EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '1000000',
    EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '1000000',
    ...environment,
  });
}

/** A caller whose organization has the active installed source 1. */
export async function webchatCaller(service: TestService): Promise<Caller> {
  const caller = await service.caller();
  await importRecords(service, caller, { type: 'installed_source', data: { id: 1, name: 'Website' } }).expect(
    200,
  );
  return caller;
}

export function importRecords(service: TestService, caller: Caller, ...records: object[]): request.Test {
  return request(service.url)
    .post('/internal/records')
    .set(caller.headers)
    .set('content-type', 'application/x-ndjson')
    .send(records.map((record) => JSON.stringify(record)).join('\n'));
}

/** A1 with a sound body around the given user. */
export function createSession(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  user?: Record<string, string | null> | null,
): request.Test {
  return postJson(service, '/external/sessions', caller.headers, {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user,
  });
}

export function refreshSession(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  sessionId: string,
): request.Test {
  return postJson(service, '/external/sessions/refresh', caller.headers, { sessionId });
}

export function postJson(
  service: Pick<TestService, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): request.Test {
  return request(service.url)
    .post(path)
    .set(headers)
    .set('content-type', 'application/json')
    .send(JSON.stringify(body));
}
