import request from 'supertest';
import {
  badRequest,
  caller,
  createBody,
  createSession,
  postJson,
  postText,
  service,
  storedOf,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  useWebchat,
  webchatCaller,
} from './webchat-service';

/*
 * What calls have in common, in the words of this area. The rules themselves: libs/service-kit (bodies, paths, request ids), libs/rate-limit,
 * tools/system-tests/test/access-matrix.e2e.ts (who is let in, and the order of checks).
 */

const CREATE = '/external/sessions';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KIB = 1_024;

useWebchat(() => ({ EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '1000', EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '1200' }));

describe.each([CREATE, '/external/sessions/refresh'])('the body of POST %s', (path) => {
  it.each<[string, string | Buffer, string]>([
    ['missing', '', 'body must be valid JSON in UTF-8'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body must be valid JSON in UTF-8'],
    [
      'nested deeply',
      '['.repeat(16_000) + ']'.repeat(16_000),
      'body must not be nested deeper than 64 levels',
    ],
  ])('is 422 when it is %s', async (_, text, sentence) => {
    expect((await postText(service, path, caller.headers, text).expect(422)).body).toEqual(
      badRequest(sentence),
    );
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'nonsense',
    ';',
    undefined,
  ])('is 422 with content-type %s', async (contentType) => {
    const headers = { ...caller.headers, ...(contentType && { 'content-type': contentType }) };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: Buffer.from('{}') });
    const body = badRequest('content-type must be application/json');
    expect([answer.status, await answer.json()]).toEqual([422, body]);
  });

  it('of exactly 64 KiB is read; a byte more is 413', async () => {
    const padded = (bytes: number) => `{"padding":"${'x'.repeat(bytes - '{"padding":""}'.length)}"}`;
    await postText(service, path, caller.headers, padded(64 * KIB)).expect(422);
    const { body } = await postText(service, path, caller.headers, padded(64 * KIB + 1)).expect(413);
    expect(body).toEqual({ message: 'Payload Too Large', statusCode: 413 });
  });
});

describe('the body of A1', () => {
  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=UTF-8'])(
    'is taken with content-type %s',
    async (contentType) => {
      const headers = { ...caller.headers, 'content-type': contentType };
      await postText(service, CREATE, headers, JSON.stringify(createBody(caller))).expect(201);
    },
  );

  it.each<[string, (other: string) => object]>([
    ['another one', (other) => ({ organizationId: other })],
    [
      'another one, with everything else wrong too',
      (other) => ({ organizationId: other, installedSourceId: 'x', user: { id: '', name: '\ud800' } }),
    ],
    ['one with spaces', () => ({ organizationId: ` ${caller.organizationId} ` })],
  ])('with an organizationId that is %s is 401 before any other problem of it', async (_, fields) => {
    const { organizationId } = await webchatCaller(service);
    const sent = { ...createBody(caller), ...fields(organizationId) };
    expect((await postJson(service, CREATE, caller.headers, sent).expect(401)).body).toEqual(UNAUTHORIZED);
  });
});

describe('every answer', () => {
  const answers: [string, () => request.Test, number, object | undefined][] = [
    ['201', () => createSession(service, caller), 201, undefined],
    ['401', () => postJson(service, CREATE, {}, {}), 401, UNAUTHORIZED],
    ['404', () => request(service.url).get('/x?x=1'), 404, { message: 'Not Found', statusCode: 404 }],
    ['405', () => request(service.url).get(CREATE), 405, { message: 'Method Not Allowed', statusCode: 405 }],
    [
      '405 below /internal',
      () => request(service.url).get('/internal/records'),
      405,
      { detail: 'Method Not Allowed' },
    ],
    ['422', () => postJson(service, CREATE, caller.headers, {}), 422, undefined],
    ['400, to a malformed URL', () => request(service.url).get('/%zz'), 400, undefined],
    ['200, of health', () => request(service.url).get('/health/live'), 200, { status: 'ok' }],
  ];

  it.each(answers)(
    '%s has its body, a request id, nosniff and no name of a framework',
    async (_, ask, status, body) => {
      const answer = await ask().expect(status);
      if (body) expect(answer.body).toEqual(body);
      expect(answer.headers).toMatchObject({
        'x-request-id': expect.stringMatching(UUID),
        'x-content-type-options': 'nosniff',
      });
      if (status === 405) expect(answer.headers.allow).toBe('POST');
      expect(JSON.stringify(answer.headers)).not.toMatch(/fastify|nest|express|powered|"server"/i);
      const sane = 'a.B_c-9'.padEnd(128, 'x');
      expect((await ask().set('x-request-id', sane)).headers['x-request-id']).toBe(sane);
    },
  );

  it.each(['', ' ', 'two words', 'x'.repeat(129), 'a/b', '{"a":1}', 'é'])(
    'gets a new request id instead of %j',
    async (id) => {
      const { headers } = await request(service.url).get('/health/live').set('x-request-id', id);
      expect(headers['x-request-id']).toMatch(UUID);
    },
  );
});

describe('the rate limits', () => {
  const windowKey = (seconds: number) =>
    `rate-limit:{organization:${caller.organizationId}:EXTERNAL_WEBCHAT_PER_SEC_LIMIT:SessionController.create}:${seconds}`;

  it('answer 429 with the exact body, Retry-After and RateLimit-*, and nothing is stored', async () => {
    // Used up, but for one call, in a minute that has fifty seconds left.
    await service.redis.set(windowKey(60), 1_199, 'PX', 50_000);
    const policy = '1000;w=1, 1200;w=60';
    expect((await createSession(service, caller, { id: 'u' }).expect(201)).headers).toMatchObject({
      'ratelimit-limit': '1200',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '50',
      'ratelimit-policy': policy,
    });
    const before = await storedOf(service, caller);
    const { body, headers } = await createSession(service, caller, { id: 'v' }).expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({
      'retry-after': '50',
      'ratelimit-limit': '1200',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '50',
      'ratelimit-policy': policy,
    });
    expect(await storedOf(service, caller)).toEqual(before);
  });
});
