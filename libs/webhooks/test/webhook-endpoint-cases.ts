import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import request from 'supertest';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';

const PATH = '/external/webhook-endpoints';

/** Nothing listens there. */
const URL_OF_NOBODY = 'https://127.0.0.1:1/hook';

const KEY = 'k1:a-key-of-webhook-secrets-0123456789abcdef';

const PROBLEMS = { detail: expect.any(Array) as object[] };
const NOT_FOUND = 'the host of the url does not resolve';
const NO_URL = 'url must be an https:// URL';
const NOT_PUBLIC = 'the host of the url resolves to an address that is not public';

/** What is different between the areas. */
export interface WebhookService {
  readonly start: (environment: Record<string, string>) => Promise<TestService>;
  /** With the tables of the area. */
  readonly schema: string;
  readonly unauthorized: object;
  /** Of a caller without the permission. */
  readonly forbidden: { readonly status: number; readonly body: object };
  readonly notFound: (id: string) => object;
}

/** The tests of an area's webhook endpoints. */
export function describeWebhookEndpoints({
  start,
  schema,
  unauthorized,
  forbidden,
  notFound,
}: WebhookService): void {
  const startWith = (keys: string) =>
    start({ WEBHOOK_SECRET_KEYS: keys, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  let service: TestService;
  let caller: Caller;

  beforeAll(async () => {
    service = await startWith(KEY);
  });
  beforeEach(async () => {
    caller = await service.caller();
  });
  afterAll(() => service.stop());

  function put(id: string, body: object, from = caller): request.Test {
    return request(service.url).put(`${PATH}/${id}`).set(from.headers).send(body);
  }

  function call(method: 'get' | 'post' | 'delete', path: string, from = caller): request.Test {
    return request(service.url)[method](`${PATH}${path}`).set(from.headers);
  }

  const read = async (id: string) => (await call('get', `/${id}`).expect(200)).body;

  async function expectUnknown(id: string, from = caller): Promise<void> {
    for (const gone of [
      call('get', `/${id}`, from),
      call('delete', `/${id}`, from),
      call('post', `/${id}/secret`, from),
      call('post', `/${id}/test`, from),
    ]) {
      expect((await gone.expect(404)).body).toEqual(notFound(id));
    }
  }

  function invalid(msg: string, loc: readonly string[] = ['body', 'url']) {
    return { detail: [{ loc, msg, type: expect.any(String) }] };
  }

  describe('an endpoint', () => {
    it('is created, changed, read, listed and deleted', async () => {
      const [id, other] = [randomUUID(), randomUUID()];
      const created = await put(id, { url: URL_OF_NOBODY, description: 'The warehouse' }).expect(200);
      expect(created.headers['cache-control']).toBe('no-store');
      expect(created.body).toEqual({
        id,
        url: URL_OF_NOBODY,
        description: 'The warehouse',
        status: 'active',
        toldChange: null,
        lastAttemptAt: null,
        lastError: null,
        nextAttemptAt: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
      await put(other, { url: URL_OF_NOBODY }).expect(200);
      await eventually(async () => (await read(id.toUpperCase())).status === 'failing');
      const failing = await read(id);
      expect(failing).toMatchObject({
        lastError: 'ECONNREFUSED',
        lastAttemptAt: expect.any(String),
        nextAttemptAt: expect.any(String),
      });
      const pause = Date.parse(failing.nextAttemptAt) - Date.parse(failing.lastAttemptAt);
      expect(pause).toBeGreaterThanOrEqual(5_000);
      expect(pause).toBeLessThan(8_000);

      expect((await put(id, { url: URL_OF_NOBODY, description: 'The warehouse' }).expect(200)).body).toEqual(
        failing,
      );
      const described = { ...failing, description: null };
      expect((await put(id, { url: URL_OF_NOBODY }).expect(200)).body).toEqual(described);
      expect((await call('get', '').expect(200)).body).toEqual({
        items: [described, expect.objectContaining({ id: other })],
      });
      const moved = (await put(id, { url: 'https://127.0.0.1:1/moved' }).expect(200)).body;
      expect(moved).toMatchObject({ status: 'active', lastError: null, nextAttemptAt: null });

      expect((await call('delete', `/${id}`).expect(204)).text).toBe('');
      await expectUnknown(id);
      expect((await call('get', '').expect(200)).body.items).toHaveLength(1);
    });

    it('is made by API tokens with the permission only', async () => {
      const without = await service.caller({ permissions: ['$survey_response:list'] });
      const refused = await put(randomUUID(), { url: URL_OF_NOBODY }, without).expect(forbidden.status);
      expect(refused.body).toEqual(forbidden.body);
      const account = { ...caller, headers: { ...caller.headers, 'auth-type': 'account' } };
      const { body } = await put(randomUUID(), { url: URL_OF_NOBODY }, account).expect(401);
      expect(body).toEqual(unauthorized);
    });

    it('of another organization does not exist, and its id is free', async () => {
      const id = randomUUID();
      await put(id, { url: URL_OF_NOBODY }).expect(200);
      const other = await service.caller();
      await expectUnknown(id, other);
      expect((await call('get', '', other).expect(200)).body).toEqual({ items: [] });
      const own = await put(id, { url: URL_OF_NOBODY, description: 'own' }, other).expect(200);
      expect(own.body).toHaveProperty('secret');
      expect((await read(id)).description).toBeNull();
    });

    it.each<[string, unknown, object]>([
      ['no url', {}, invalid('Field required')],
      ['a url that is no text', { url: 5 }, PROBLEMS],
      ['a url that is too long', { url: `https://127.0.0.1/${'x'.repeat(2_000)}` }, PROBLEMS],
      ['no URL', { url: 'hooks.example.com' }, invalid(NO_URL)],
      ['a space before it', { url: ` ${URL_OF_NOBODY}` }, invalid(NO_URL)],
      ['a line break', { url: `${URL_OF_NOBODY}\n` }, invalid(NO_URL)],
      ['http', { url: 'http://127.0.0.1/' }, invalid(NO_URL)],
      ['another scheme', { url: 'file:///etc/passwd' }, invalid(NO_URL)],
      ['a user', { url: 'https://me@127.0.0.1/' }, invalid('url must not have a user name or password')],
      ['a password', { url: 'https://:pw@127.0.0.1/' }, invalid('url must not have a user name or password')],
      ['an unknown host', { url: 'https://nowhere.invalid/' }, invalid(NOT_FOUND)],
      ['a private address', { url: 'https://0xa.1/' }, invalid(NOT_PUBLIC)],
      ['the metadata of a cloud', { url: 'https://[::ffff:169.254.169.254]/' }, invalid(NOT_PUBLIC)],
      ['a long description', { url: URL_OF_NOBODY, description: 'x'.repeat(256) }, PROBLEMS],
      [
        'http and a long description',
        { url: 'http://127.0.0.1/', description: 'x'.repeat(256) },
        { detail: [...invalid(NO_URL).detail, expect.objectContaining({ loc: ['body', 'description'] })] },
      ],
      ['a NUL', { url: URL_OF_NOBODY, description: '\u0000' }, PROBLEMS],
    ])('is not made with %s', async (_, body, answer) => {
      expect((await put(randomUUID(), body as object).expect(422)).body).toEqual(answer);
      expect((await call('get', '').expect(200)).body).toEqual({ items: [] });
    });

    it('is not made with an id that is no uuid, and ten are enough', async () => {
      const { body } = await put('first', { url: URL_OF_NOBODY }).expect(422);
      expect(body.detail[0].loc).toEqual(['path', 'id']);
      const ids = Array.from({ length: 14 }, () => randomUUID());
      const answers = await Promise.all(ids.map((id) => put(id, { url: URL_OF_NOBODY })));
      expect(answers.map(({ status }) => status).sort()).toEqual([
        ...Array(10).fill(200),
        ...Array(4).fill(422),
      ]);
      expect(answers.find(({ status }) => status === 422)!.body).toEqual(
        invalid('an organization must have at most 10 webhook endpoints', ['path', 'id']),
      );
      const kept = ids[answers.findIndex(({ status }) => status === 200)]!;
      await put(kept, { url: URL_OF_NOBODY, description: 'as before' }).expect(200);
      await call('delete', `/${kept}`).expect(204);
      const next = await Promise.all([
        put(randomUUID(), { url: URL_OF_NOBODY }),
        put(randomUUID(), { url: URL_OF_NOBODY }),
      ]);
      expect(next.map(({ status }) => status).sort()).toEqual([200, 422]);
    });

    it('is put as if a deletion at the same time had come before or after it', async () => {
      const id = randomUUID();
      const statuses = new Set<number>();
      const repeat = async (send: () => request.Test) => {
        for (let time = 0; time < 60; time++) statuses.add((await send()).status);
      };
      const putting = () => put(id, { url: URL_OF_NOBODY });
      const deleting = () => call('delete', `/${id}`);
      await Promise.all([putting, putting, putting, deleting, deleting].map(repeat));
      expect([...statuses].sort()).toEqual([200, 204, 404]);
    });

    it('answers its secret once, and a new one; neither is stored, logged or shown as it is', async () => {
      const id = randomUUID();
      const { secret } = (await put(id, { url: URL_OF_NOBODY }).expect(200)).body;
      const rotated = await call('post', `/${id}/secret`).expect(200);
      expect(rotated.headers['cache-control']).toBe('no-store');
      expect(rotated.body).toEqual({ secret: expect.stringMatching(/^whsec_/) });
      expect(rotated.body.secret).not.toBe(secret);
      await eventually(async () => (await read(id)).status === 'failing');
      expect(await read(id)).not.toHaveProperty('secret');
      const [{ row }] = await service.dataSource.query<[{ row: string }]>(
        `SELECT endpoint::text AS row FROM ${schema}.webhook_endpoint AS endpoint WHERE organization_id = $1`,
        [caller.organizationId],
      );
      const metrics = (await request(service.url).get('/metrics').expect(200)).text;
      for (const text of [secret, rotated.body.secret] as string[]) {
        const plain = text.slice('whsec_'.length);
        for (const form of [plain, Buffer.from(plain, 'base64').toString('hex')]) {
          expect(row).not.toContain(form);
          expect(metrics.includes(form)).toBe(false);
        }
      }
      expect(/^webhook_endpoints\{status="failing",service="[\w-]+"\} \d+$/m.test(metrics)).toBe(true);
    });

    it('can be tested, which changes nothing', async () => {
      const id = randomUUID();
      await put(id, { url: URL_OF_NOBODY }).expect(200);
      await eventually(async () => (await read(id)).status === 'failing');
      const before = await read(id);
      expect((await call('post', `/${id}/test`).expect(200)).body).toEqual({ error: 'ECONNREFUSED' });
      expect(await read(id)).toEqual(before);
    });

    it('is called no longer by a test whose client is gone', async () => {
      const connections: Socket[] = [];
      const silent = createServer((socket) => connections.push(socket.on('error', () => undefined).resume()));
      await once(silent.listen(0, '127.0.0.1'), 'listening');
      const id = randomUUID();
      await put(id, { url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/hook` }).expect(200);
      await eventually(() => connections.length === 1);
      const client = new AbortController();
      const url = `${service.url}${PATH}/${id}/test`;
      const answer = fetch(url, { method: 'POST', headers: caller.headers, signal: client.signal });
      await eventually(() => connections.length === 2);
      client.abort();
      await expect(answer).rejects.toThrow('aborted');
      await eventually(() => connections[1]!.closed, 5_000);
      for (const socket of connections) socket.destroy();
      silent.close();
    });
  });

  it('without WEBHOOK_SECRET_KEYS no endpoint is made', async () => {
    const other = await startWith('');
    const { headers } = await other.caller();
    const { body } = await request(other.url)
      .put(`${PATH}/${randomUUID()}`)
      .set(headers)
      .send({ url: URL_OF_NOBODY })
      .expect(422);
    expect(body.detail[0].msg).toContain('WEBHOOK_SECRET_KEYS');
    await other.stop();
  });
}
