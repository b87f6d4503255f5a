import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { campaignRecord, responseRecord } from './records';
import { everythingOf, FORBIDDEN, importRecords, startSurvey, UNAUTHORIZED } from './survey-service';

const PATH = '/external/webhook-endpoints';

/** Nothing listens there. */
const URL_OF_NOBODY = 'https://127.0.0.1:1/hook';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startSurvey({
    WEBHOOK_SECRET_KEYS: 'k1:a-key-of-webhook-secrets-0123456789abcdef',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

function call(
  method: 'get' | 'put' | 'post' | 'delete',
  path: string,
  body?: object,
  from = caller,
): request.Test {
  return request(service.url)[method](`${PATH}${path}`).set(from.headers).send(body);
}

it('an endpoint is created, read, listed, told of responses, and deleted', async () => {
  const id = randomUUID();
  const created = await call('put', `/${id}`, { url: URL_OF_NOBODY, description: 'The warehouse' }).expect(
    200,
  );
  expect(created.headers['cache-control']).toBe('no-store');
  const endpoint = {
    id,
    url: URL_OF_NOBODY,
    description: 'The warehouse',
    status: 'active',
    toldChange: null,
    lastAttemptAt: null,
    lastError: null,
    nextAttemptAt: null,
    createdAt: expect.stringMatching(/Z$/),
  };
  const { secret, ...withoutSecret } = created.body;
  expect(secret).toMatch(/^whsec_/);
  expect(withoutSecret).toEqual(endpoint);
  const campaign = randomUUID();
  await importRecords(
    service,
    caller,
    ['survey_campaign', campaignRecord({ id: campaign })],
    ['survey_response', responseRecord({ survey_campaign_id: campaign })],
  );
  const read = async () => (await call('get', `/${id}`).expect(200)).body;
  await eventually(async () => (await read()).status === 'failing');
  const failing = { ...endpoint, status: 'failing', lastError: 'ECONNREFUSED' };
  expect(await read()).toEqual({
    ...failing,
    lastAttemptAt: expect.any(String),
    nextAttemptAt: expect.any(String),
  });
  expect((await call('get', '').expect(200)).body.items).toEqual([await read()]);
  expect((await call('post', `/${id}/test`).expect(200)).body).toEqual({ error: 'ECONNREFUSED' });
  const rotated = (await call('post', `/${id}/secret`).expect(200)).body;
  expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  const stored = await everythingOf(service, caller);
  expect(stored).toContain(id);
  for (const text of [secret, rotated.secret] as string[]) {
    expect(stored).not.toContain(text.slice('whsec_'.length));
  }
  expect((await call('delete', `/${id}`).expect(204)).text).toBe('');
  expect((await call('get', '').expect(200)).body).toEqual({ items: [] });
});

it('an endpoint of another organization does not exist, and its id is free', async () => {
  const id = randomUUID();
  await call('put', `/${id}`, { url: URL_OF_NOBODY }).expect(200);
  const other = await service.caller();
  const answers = [];
  for (const [method, path] of [
    ['get', `/${id}`],
    ['delete', `/${id}`],
    ['post', `/${id}/secret`],
    ['post', `/${id}/test`],
  ] as const) {
    answers.push((await call(method, path, undefined, other).expect(404)).body);
  }
  expect(new Set(answers.map((body) => JSON.stringify(body)))).toEqual(new Set([JSON.stringify(NOT_FOUND)]));
  expect((await call('get', '', undefined, other).expect(200)).body).toEqual({ items: [] });
  const own = await call('put', `/${id}`, { url: URL_OF_NOBODY, description: 'own' }, other).expect(200);
  expect(own.body).toHaveProperty('secret');
  expect((await call('get', `/${id}`).expect(200)).body.description).toBeNull();
});

it('an endpoint is made by callers with the permission only', async () => {
  const { headers } = caller;
  const without = await service.caller({ permissions: ['$survey_response:list'] });
  const put = (from: Caller) => call('put', `/${randomUUID()}`, { url: URL_OF_NOBODY }, from);
  expect((await put(without).expect(403)).body).toEqual(FORBIDDEN);
  const account = { ...caller, headers: { ...headers, 'auth-type': 'account' } };
  expect((await put(account).expect(401)).body).toEqual(UNAUTHORIZED);
});

it.each([
  ['http', 'http://127.0.0.1/', 'url must be an https:// URL'],
  ['a private address', 'https://10.0.0.1/', 'the host of the url resolves to an address that is not public'],
  ['an unknown host', 'https://nowhere.invalid/', 'the host of the url does not resolve'],
])('an endpoint is not made with %s', async (_, url, msg) => {
  const { body } = await call('put', `/${randomUUID()}`, { url }).expect(422);
  expect(body).toEqual({ detail: [{ loc: ['body', 'url'], msg, type: 'value_error' }] });
  expect((await call('get', '').expect(200)).body).toEqual({ items: [] });
});

const NOT_FOUND = { detail: { message: 'not_found', params: { model: 'WebhookEndpoint' } } };
