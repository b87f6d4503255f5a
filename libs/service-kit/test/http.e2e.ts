import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { sampleDatabase, SampleModule } from './sample-service';
import {
  eventually,
  REAL_DEADLINE_MS,
  startTestService,
  type Caller,
  type TestService,
} from '../src/testing';

const FILES = [
  'index.html',
  'sample.html',
  'sample.js',
  'sample.json',
  'sample.txt',
  'other.json',
  'scalar.js',
  'guide.html',
  'guide.md',
  'records.json',
];

let documents: string;
let service: TestService;
let caller: Caller;

beforeAll(async () => {
  documents = mkdtempSync(join(tmpdir(), 'cxp-documents-'));
  for (const name of FILES) {
    writeFileSync(join(documents, name), `"${name}"`);
    writeFileSync(join(documents, `${name}.gz`), gzipSync(`"${name}"`));
  }
  service = await startTestService(SampleModule, sampleDatabase, { DOCUMENTS_DIRECTORY: documents });
  caller = await service.caller();
});
afterAll(async () => {
  await service.stop();
  rmSync(documents, { recursive: true });
});

describe('a JSON body', () => {
  const send = (text: string) =>
    request(service.url)
      .post('/external/greetings')
      .set(caller.headers)
      .set('content-type', 'application/json')
      .send(text);

  it('of more values than its route takes is 422, with the limit', async () => {
    const withValues = (count: number) => JSON.stringify({ name: 'Hoa', more: Array(count - 2).fill(0) });
    await send(withValues(20)).expect(200);
    await send(withValues(21)).expect(422, {
      message: ['body must not hold more than 20 members and elements in all'],
      error: 'Bad Request',
      statusCode: 400,
    });
  });

  it('that is compressed is 422, which names the header', async () => {
    const { body } = await request(service.url)
      .post('/external/greetings')
      .set(caller.headers)
      .set({ 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .send(gzipSync('{"name":"Hoa"}'))
      .expect(422);
    expect(body.message).toEqual(['content-encoding must be identity: a body is not decompressed']);
    await send('{"name":"Hoa"}').set('content-encoding', 'identity').expect(200);
  });
});

describe('a path parameter', () => {
  it('may be as long as a URL', async () => {
    await request(service.url)
      .get(`/external/greetings/of/${'x'.repeat(8_000)}`)
      .expect(200);
  });

  it('that can not be decoded is 400', async () => {
    const { headers } = await request(service.url).get('/external/greetings/of/%zz').expect(400);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  });
});

describe('a request that waits for a store', () => {
  // As in production; elsewhere tests have another time.
  let hurried: TestService;
  beforeAll(async () => {
    hurried = await startTestService(SampleModule, sampleDatabase, {
      CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
      DATABASE_POOL_SIZE: '10',
    });
  });
  afterAll(() => hurried.stop());

  let workCaller: Caller;
  beforeAll(async () => {
    workCaller = await hurried.caller();
  });

  it.each([
    ['at once', 0],
    ['slowly', 1_000],
  ])(
    'with a body that comes %s is 503 in time, counted from its end, and its work stops',
    async (_, bodyMs) => {
      const key = `work-${bodyMs}`;
      const sent = JSON.stringify({ name: 'Hoa' });
      const body = Readable.toWeb(
        Readable.from(
          (async function* () {
            yield sent.slice(0, 5);
            await sleep(bodyMs);
            yield sent.slice(5);
          })(),
        ),
      );
      const startedAt = performance.now();
      const control = sleep(2_000 + bodyMs).then(() => performance.now() - startedAt);
      const response = await fetch(`${hurried.url}/external/greetings/working/${key}`, {
        method: 'POST',
        headers: { ...workCaller.headers, 'content-type': 'application/json' },
        body: body as BodyInit,
        ...{ duplex: 'half' },
      });
      const took = performance.now() - startedAt;
      expect(await response.json()).toEqual({ message: 'Service Unavailable', statusCode: 503 });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(took).toBeGreaterThan(1_500 + bodyMs);
      // When clients give up that wait for two seconds: on a busy machine their timers are late, too.
      expect(took).toBeLessThan((await control) + 500);
      const steps = await hurried.redis.get(key);
      await sleep(100);
      expect(await hurried.redis.get(key)).toBe(steps);
    },
  );

  it('whose client leaves stops its work', async () => {
    const client = new AbortController();
    const answer = fetch(`${hurried.url}/external/greetings/working/left`, {
      method: 'POST',
      headers: { ...workCaller.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Hoa' }),
      signal: client.signal,
    });
    await eventually(async () => Number(await hurried.redis.get('left')) > 0);
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    await eventually(async () => {
      const steps = await hurried.redis.get('left');
      await sleep(100);
      return (await hurried.redis.get('left')) === steps;
    });
  });

  it('takes as long as its client or a change does, if its route is made for that', async () => {
    const answer = request(hurried.url).get('/external/greetings/held/client').expect(200).then();
    await sleep(REAL_DEADLINE_MS + 500);
    await hurried.redis.set('client', 1);
    await answer;
  });

  it('leaves nothing that runs in PostgreSQL for longer than a statement may', async () => {
    const client = new AbortController();
    const { headers } = await hurried.caller();
    const answer = fetch(`${hurried.url}/external/greetings/asleep`, { headers, signal: client.signal });
    await eventually(async () => (await asleep(hurried)) === 1);
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    await sleep(REAL_DEADLINE_MS);
    expect(await asleep(hurried)).toBe(0);
  });

  it('of one organization uses half of the connections: the others wait, and are 503 when their time is over', async () => {
    const [own, other] = [await hurried.caller(), await hurried.caller()];
    const calls = Array.from({ length: 30 }, () =>
      fetch(`${hurried.url}/external/greetings/asleep`, { headers: own.headers }),
    );
    await eventually(async () => (await asleep(hurried)) === 5);
    for (let call = 0; call < 10; call++) {
      const body = { name: 'Hoa' };
      await request(hurried.url).post('/external/greetings').set(other.headers).send(body).expect(200);
      await hurried.app.get(DataSource).query('SELECT 1');
    }
    for (const { status, headers } of await Promise.all(calls)) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
    await request(hurried.url).post('/external/greetings').set(own.headers).send({ name: 'Hoa' }).expect(200);
  });
});

describe('long work', () => {
  it('pauses while others are served, one call after the other, and not alone', async () => {
    const timeOf = async () => {
      const answer = await request(service.url).get('/external/greetings/long').expect(200);
      return (answer.body as { ms: number }).ms;
    };
    const alone = await timeOf();
    let isOver = false;
    const beside = timeOf().finally(() => (isOver = true));
    while (!isOver) await request(service.url).get('/external/greetings/of/Ada').expect(200);
    expect(await beside).toBeGreaterThan(1.5 * alone);
  });
});

describe('/metrics', () => {
  it('is Prometheus text, and has the memory of the process', async () => {
    const { headers, text } = await request(service.url).get('/metrics').expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('process_resident_memory_bytes{service="sample"}');
  });
});

describe('/docs', () => {
  it.each([
    '/docs',
    '/docs/scalar.js',
    '/docs/page.js',
    '/docs/openapi.json',
    '/docs/other.json',
    '/docs/records.json',
    '/docs/guide',
    '/docs/guide.md',
    '/llms.txt',
  ])('%s is not sent again to who has it, compressed or not', async (path) => {
    for (const encoding of ['gzip', 'identity']) {
      const get = () => request(service.url).get(path).set('accept-encoding', encoding);
      const { headers } = await get().expect(200).expect('cache-control', 'no-cache');
      expect(headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
      const etag = headers.etag!;
      expect(etag).toMatch(/^"[\w-]+"$/);
      const unchanged = await get().set('if-none-match', `"other", W/${etag}`).expect(304);
      expect(unchanged.headers).toMatchObject({ etag, vary: 'accept-encoding' });
      await get().set('if-none-match', '"other"').expect(200);
    }
  });

  it('answers the files as they are, decompressed or not', async () => {
    for (const encoding of ['gzip', 'gzip;q=0, br', 'identity']) {
      const { text, headers } = await request(service.url)
        .get('/docs')
        .set('accept-encoding', encoding)
        .expect(200);
      expect([text, headers['content-encoding']]).toEqual([
        '"sample.html"',
        encoding === 'gzip' ? 'gzip' : undefined,
      ]);
    }
    await request(service.url).get('/docs').expect('content-type', 'text/html; charset=utf-8');
  });

  it('is where the root leads', async () => {
    await request(service.url).get('/').expect(302).expect('location', '/docs');
  });

  it.each(['/docs/unknown.json', '/docs/..%2Fpackage.json', '/docs/sample.html', '/docs/guide.html'])(
    'has no file %s',
    async (path) => {
      await request(service.url).get(path).expect(404).expect('x-error-code', 'route_not_found');
    },
  );

  it('answers everybody from the same bytes', async () => {
    const sent = jest.spyOn(ServerResponse.prototype, 'end');
    await Promise.all(Array.from({ length: 5 }, () => fetch(`${service.url}/docs/scalar.js`)));
    const bodies = sent.mock.calls.map(([body]) => body as unknown).filter((body) => Buffer.isBuffer(body));
    sent.mockRestore();
    expect(bodies.length).toBeGreaterThanOrEqual(5);
    expect(new Set(bodies).size).toBe(1);
  });
});

async function asleep({ dataSource }: TestService): Promise<number> {
  const found = await dataSource.query<unknown[]>(
    `SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60)%' AND state = 'active' AND datname = current_database()`,
  );
  return found.length;
}

describe('an answer that is no 2xx', () => {
  it.each<[number, string, Record<string, string>, string]>([
    [404, '/nothing', {}, 'route_not_found'],
    [401, '/external/greetings/asleep', {}, 'missing_header'],
    [401, '/external/greetings/asleep', { 'auth-type': 'bearer' }, 'auth_type_not_accepted'],
  ])(
    '%i of %s %j says where its code is explained; a 401 names the scheme',
    async (status, path, change, code) => {
      const headers = Object.keys(change).length > 0 ? { ...caller.headers, ...change } : {};
      const answer = await request(service.url).get(path).set(headers).expect(status);
      expect(answer.headers).toMatchObject({
        'x-error-code': code,
        link: '</docs/guide#codes>; rel="help"',
      });
      expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    },
  );
});
