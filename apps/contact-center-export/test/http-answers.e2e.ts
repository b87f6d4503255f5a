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

it('what is no route is 404, and another method 405 with Allow, in the envelope of the area', async () => {
  const ask = (method: 'get' | 'put', path: string) => request(service.url)[method](path).set(caller.headers);
  expect((await ask('get', '/external/conversation-sessions/a/b').expect(404)).body).toEqual({
    detail: 'Not Found',
  });
  const { body, headers } = await ask('put', '/external/conversation-sessions').expect(405);
  expect(body).toEqual({ detail: 'Method Not Allowed' });
  expect(headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD']);
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
