import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { createSession, postJson, startWebchat, webchatCaller } from './webchat-service';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

describe('a path that does not exist', () => {
  it.each([
    '/',
    '/external',
    '/external/session',
    '/external/sessions/refresh/now',
    '/internal',
    '/nothing?x=1',
  ])('%s is 404 in the envelope of the area, whoever asks', async (path) => {
    for (const headers of [{}, caller.headers]) {
      const { body } = await request(service.url).get(path).set(headers).expect(404);
      expect(body).toEqual({ message: 'Not Found', statusCode: 404 });
    }
  });
});

describe('a method that a path does not have', () => {
  it.each([
    ['/external/sessions', 'POST'],
    ['/external/sessions/refresh', 'POST'],
    ['/internal/records', 'POST'],
    ['/health/live', 'GET, HEAD'],
  ])('%s is 405 with Allow: %s', async (path, allow) => {
    const { body, headers } = await request(service.url).delete(path).expect(405);
    // Everything below /internal has the envelope of record intake.
    const isInternal = path.startsWith('/internal');
    expect(body).toEqual(
      isInternal ? { detail: 'Method Not Allowed' } : { message: 'Method Not Allowed', statusCode: 405 },
    );
    expect(headers.allow?.split(', ').sort().join(', ')).toBe(allow);
  });
});

describe('every answer', () => {
  const answers: [string, () => request.Test, number][] = [
    ['201', () => createSession(service, caller), 201],
    ['401', () => postJson(service, '/external/sessions', {}, {}), 401],
    ['404', () => request(service.url).get('/nothing'), 404],
    ['405', () => request(service.url).get('/external/sessions'), 405],
    ['422', () => postJson(service, '/external/sessions', caller.headers, {}), 422],
    ['one to a malformed URL', () => request(service.url).get('/%zz'), 400],
    ['health', () => request(service.url).get('/health/live'), 200],
  ];

  it.each(answers)('%s has a request id, nosniff and no name of a framework', async (_, ask, status) => {
    const { headers } = await ask().expect(status);
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(UUID),
      'x-content-type-options': 'nosniff',
    });
    expect(JSON.stringify(headers)).not.toMatch(/fastify|nest|express|powered|"server"/i);
  });

  it.each(answers)('%s takes over a sane x-request-id', async (_, ask) => {
    for (const id of ['7', 'a.B_c-9', 'x'.repeat(128)]) {
      expect((await ask().set('x-request-id', id)).headers['x-request-id']).toBe(id);
    }
  });

  it.each(['', ' ', 'two words', 'x'.repeat(129), 'a/b', '{"a":1}', 'é'])(
    'gets a new request id instead of %j',
    async (id) => {
      const { headers } = await request(service.url).get('/health/live').set('x-request-id', id);
      expect(headers['x-request-id']).toMatch(UUID);
    },
  );
});

it('an error hides what caused it', async () => {
  await service.dataSource.query('ALTER TABLE webchat.conversation RENAME TO conversation_gone');
  const { body, text } = await createSession(service, caller, { id: 'u' }).expect(500);
  await service.dataSource.query('ALTER TABLE webchat.conversation_gone RENAME TO conversation');
  expect(body).toEqual({ message: 'Internal Server Error', statusCode: 500 });
  expect(text).not.toContain('webchat');
  await createSession(service, caller, { id: 'u' }).expect(201);
});
