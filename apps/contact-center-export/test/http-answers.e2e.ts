import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { EVER, getConversation, listSessions, startContactCenter } from './contact-center-service';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
  caller = await service.caller();
});
afterAll(() => service.stop());

it.each(['/external', '/external/conversation-session', '/external/conversation-sessions/a/b', '/internal'])(
  '%s is 404 in the envelope of the area, whoever asks',
  async (path) => {
    for (const headers of [{}, caller.headers]) {
      const { body } = await request(service.url).get(path).set(headers).expect(404);
      expect(body).toEqual({ detail: 'Not Found' });
    }
  },
);

it.each(['/external/conversation-sessions', '/external/conversation-sessions/c'])(
  'other methods of %s are 405 with Allow',
  async (path) => {
    for (const method of ['post', 'put', 'patch', 'delete', 'options'] as const) {
      const { body, headers } = await request(service.url)[method](path).set(caller.headers).expect(405);
      expect(body).toEqual({ detail: 'Method Not Allowed' });
      expect(headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD']);
    }
  },
);

it('every answer has a request id, nosniff and no name of a framework', async () => {
  const answers = await Promise.all([
    listSessions(service, caller, EVER).expect(200),
    listSessions(service, caller, EVER).set('accept', 'text/csv').expect(200),
    listSessions(service, { headers: {} }, EVER).expect(401),
    listSessions(service, caller, { organizationId: 'other' }).expect(403),
    getConversation(service, caller, 'unknown').expect(404),
    listSessions(service, caller, {}).expect(422),
  ]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-content-type-options': 'nosniff',
    });
    expect(JSON.stringify(headers)).not.toMatch(/fastify|nest|express|powered|"server"/i);
  }
  const named = await listSessions(service, caller, EVER).set('x-request-id', 'mine-1');
  expect(named.headers['x-request-id']).toBe('mine-1');
});

it.each([
  ['application/json', {}],
  ['application/json', { accept: 'application/json' }],
  ['application/json', { accept: '*/*' }],
  ['application/json', { accept: 'image/png' }],
  ['application/x-ndjson', { accept: 'application/x-ndjson' }],
  ['text/csv; charset=utf-8', { accept: 'text/csv, application/json;q=0.5' }],
  [XLSX, { accept: XLSX }],
  ['application/json', { accept: `application/vnd.ms-excel, */*` }],
])('B1 sends %s for %j, and says that Accept decides', async (type, accept) => {
  const { headers } = await listSessions(service, caller, EVER).unset('accept').set(accept).expect(200);
  expect(headers['content-type']?.split(';')[0]).toBe(type.split(';')[0]);
  expect(headers.vary).toBe('accept');
});

it('an error that nobody planned hides its cause', async () => {
  await service.dataSource.query('ALTER SCHEMA contact_center RENAME TO gone');
  const answers = [
    await listSessions(service, caller, EVER),
    await listSessions(service, caller, EVER).set('accept', 'text/csv'),
    await listSessions(service, caller, EVER).set('accept', 'application/x-ndjson'),
    await getConversation(service, caller, 'c'),
  ];
  await service.dataSource.query('ALTER SCHEMA gone RENAME TO contact_center');
  for (const { status, text, headers } of answers) {
    expect([status, JSON.parse(text)]).toEqual([500, { detail: 'Internal Server Error' }]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  }
});
