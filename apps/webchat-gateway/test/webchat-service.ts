import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { webchatDatabase } from '../src/database';
import { AppModule } from '../src/app.module';

export const SIGNING_KEY = 'current:0123456789abcdef0123456789abcdef';

/** The contract's error bodies. */
export const UNAUTHORIZED = { message: 'Unauthorized', statusCode: 401 };
export const SESSION_NOT_FOUND = { message: 'Session not found', statusCode: 404 };
export const TOO_MANY_REQUESTS = { message: 'ThrottlerException: Too Many Requests', statusCode: 429 };
export function badRequest(...sentences: string[]) {
  return { message: sentences, error: 'Bad Request', statusCode: 400 };
}

export function startWebchat(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(AppModule, webchatDatabase, {
    WEBCHAT_WEBSOCKET_URL: 'wss://webchat.test/sessions',
    WEBCHAT_SESSION_TOKEN_KEYS: SIGNING_KEY,
    ...environment,
  });
}

/** Another process over the same stores. */
export function startBeside(
  { environment: { DATABASE_URL, REDIS_URL } }: TestService,
  environment: Record<string, string> = {},
): Promise<TestService> {
  return startWebchat({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL!, ...environment });
}

/** A real process over the same stores. It needs a build. */
export function startProcess(
  { environment }: TestService,
  more: NodeJS.ProcessEnv = {},
): Promise<ServiceProcess> {
  const entry = 'dist/apps/webchat-gateway/main.js';
  return startService({ entry, env: { ...environment, ...more }, portVariable: 'WEBCHAT_PORT' });
}

export async function metric({ url }: Pick<TestService, 'url'>, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Does something while another transaction holds the locks of a statement. */
export async function whileLocked<Result>(
  { dataSource }: TestService,
  sql: string,
  values: unknown[],
  act: () => Promise<Result>,
): Promise<Result> {
  const holder = dataSource.createQueryRunner();
  await holder.startTransaction();
  try {
    await holder.query(sql, values);
    return await act();
  } finally {
    await holder.rollbackTransaction();
    await holder.release();
  }
}

/** The service of a file of tests, and the caller of each of them: see `useWebchat`. */
export let service: TestService;
export let caller: Caller;

/** Starts a service for the tests of a file, and makes a caller of a new organization for each of them. */
export function useWebchat(environment: () => Record<string, string> = () => ({})): void {
  beforeAll(async () => {
    service = await startWebchat(environment());
  });
  beforeEach(async () => {
    caller = await webchatCaller(service);
  });
  afterAll(() => service.stop());
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

export type User = Partial<Readonly<Record<'id' | 'name' | 'email' | 'phone', string | null>>> | null;

/** A sound body of A1. */
export function createBody({ organizationId }: Pick<Caller, 'organizationId'>, user?: User) {
  return { organizationId, installedSourceId: 1, user };
}

/** A1 with a sound body around the given user. */
export function createSession(service: Pick<TestService, 'url'>, caller: Caller, user?: User): request.Test {
  return postJson(service, '/external/sessions', caller.headers, createBody(caller, user));
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
  return postText(service, path, headers, JSON.stringify(body));
}

/** Sends a body as it is, as JSON unless the headers say something else. */
export function postText(
  service: Pick<TestService, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): request.Test {
  const post = request(service.url).post(path).set('content-type', 'application/json').set(headers);
  return post.serialize((text: string) => text).send(body);
}

/** What area A keeps of an organization in both stores, to show that a call stored nothing. */
export async function storedOf({ dataSource, redis }: TestService, { organizationId }: Caller) {
  const conversations: { id: string; user_id: string }[] = await dataSource.query(
    'SELECT id, user_id FROM webchat.conversation WHERE organization_id = $1 ORDER BY user_id',
    [organizationId],
  );
  const keys = (await redis.keys(`webchat:{${organizationId}}:*`)).sort();
  return { conversations, keys, sessions: keys.filter((key) => key.includes('}:session:')) };
}

/** Lets a session's time run out, as it does when nobody refreshes it; its record lingers. */
export async function expireSession(
  { redis }: TestService,
  { organizationId }: Pick<Caller, 'organizationId'>,
  sessionId: string,
): Promise<void> {
  const [seconds] = (await redis.time()) as [number, number];
  await redis.hset(`webchat:{${organizationId}}:session:${sessionId}`, 'expiresAt', seconds);
}
