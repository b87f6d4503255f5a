import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { blocksReadBy, eventually, runs } from '@cxp/testing';
import { createFruitFeed, type FruitFeed } from '@cxp/change-feed/testing';
import {
  accept,
  bytes,
  endless,
  expectSignedWith,
  type HintReceiver,
  startReceiver,
} from '../test/hint-receiver';
import { AllowedAddresses } from './allowed-addresses';
import { HintCall, WebhookSecrets } from './hint-call';
import { HintSender, retryAfterSeconds } from './hint-sender';
import { endpointResponse } from './webhook-endpoint.dto';
import {
  type EndpointKey,
  webhookEndpointEntity,
  WebhookEndpointRepository,
} from './webhook-endpoint.repository';

const entities = [webhookEndpointEntity('fruit')];
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const KEYS = [{ id: 'k1', secret: 'a-key-of-webhook-secrets-0123456789abcdef' }];

let fruit: FruitFeed;
let requests: DataSource;
let receiver: HintReceiver;
let endpoints: WebhookEndpointRepository;
const secrets = new WebhookSecrets(KEYS);
const addresses = new AllowedAddresses(['127.0.0.0/8', '::1']);

beforeAll(async () => {
  fruit = await createFruitFeed();
  receiver = await startReceiver();
  requests = await new DataSource({ type: 'postgres', url: fruit.url, entities }).initialize();
  endpoints = new WebhookEndpointRepository(requests.manager, requests.manager, 'fruit');
});
beforeEach(async () => {
  receiver.hints.length = 0;
  receiver.answer = accept;
  await fruit.dataSource.query('DELETE FROM fruit.webhook_endpoint');
});
afterAll(async () => {
  await receiver.close();
  await requests.destroy();
  await fruit.drop();
});

/** A process that sends hints. */
async function startSender(keys = secrets) {
  // Its connections are cut.
  const poolErrorHandler = () => undefined;
  const dataSource = await new DataSource({
    type: 'postgres',
    url: fruit.url,
    poolSize: 4,
    poolErrorHandler,
    entities,
  }).initialize();
  const repository = new WebhookEndpointRepository(dataSource.manager, dataSource.manager, 'fruit');
  const call = new HintCall('fruit-changes', keys, addresses, receiver.agent);
  const sender = new HintSender(repository, call, new Registry());
  sender.onApplicationBootstrap();
  return {
    stop: async () => {
      await sender.beforeApplicationShutdown();
      if (dataSource.isInitialized) await dataSource.destroy();
    },
    /** The outcomes of its calls are not stored. */
    kill: async () => {
      await dataSource.destroy();
      await sender.beforeApplicationShutdown();
    },
  };
}

async function whileSending(work: () => Promise<void>, keys = secrets): Promise<void> {
  const sender = await startSender(keys);
  try {
    await work();
  } finally {
    await sender.stop();
  }
}

async function addEndpoint(organizationId: string, url = receiver.url) {
  const key = { organizationId, id: randomUUID() };
  await endpoints.put(key, { url, description: null }, (await secrets.encrypt(SECRET))!);
  return key;
}

/** Attempts that wait become due, as if time had passed. */
async function skip(interval: string): Promise<void> {
  await fruit.dataSource.query(
    `UPDATE fruit.webhook_endpoint SET next_attempt_at = next_attempt_at - $1::interval,
       failing_since = failing_since - $1::interval`,
    [interval],
  );
}

/** The outcome of so many failed attempts in a row is stored. */
const haveFailed = (key: EndpointKey, attempts: number) =>
  eventually(async () => (await endpoints.find(key))!.attempts === attempts);

const changes = () => receiver.hints.map(({ change }) => change);

describe('an endpoint', () => {
  it('gets a hint at once when it is new, and within a second of each change, signed', async () => {
    const organizationId = randomUUID();
    await whileSending(async () => {
      const key = await addEndpoint(organizationId);
      await eventually(() => changes().length === 1);
      const delays: number[] = [];
      for (const colour of ['green', 'red']) {
        await fruit.store(organizationId, { apple: colour });
        const storedAt = performance.now();
        await eventually(() => changes().at(-1) === (colour === 'green' ? 1 : 2));
        delays.push(performance.now() - storedAt);
      }
      // On a busy machine one of them may take longer.
      expect(Math.min(...delays)).toBeLessThan(1_000);
      await eventually(async () => (await endpoints.find(key))!.toldChange === 2);
      await sleep(600);
      expect(changes()).toEqual([0, 1, 2]);
      const hint = receiver.hints.at(-1)!;
      const { body, headers } = hint;
      expectSignedWith([SECRET], hint);
      expect(JSON.parse(body)).toEqual({
        type: 'fruit-changes',
        timestamp: expect.stringMatching(/Z$/),
        data: { organizationId, change: 2 },
      });
      expect(Object.keys(headers).sort()).toEqual(
        [
          ...['connection', 'content-length', 'content-type', 'host'],
          ...['webhook-id', 'webhook-signature', 'webhook-timestamp'],
        ].sort(),
      );
      expect(endpointResponse((await endpoints.find(key))!)).toMatchObject({
        status: 'active',
        toldChange: 2,
        lastError: null,
        nextAttemptAt: null,
        lastAttemptAt: expect.any(Date),
      });
    });
  });

  it('is not called sooner because of changes, the same number keeps its id, and many changes are one hint', async () => {
    const organizationId = randomUUID();
    receiver.answer = (_hint, response) => void response.writeHead(503).end();
    await whileSending(async () => {
      const key = await addEndpoint(organizationId);
      await eventually(async () => (await endpoints.find(key))!.status === 'failing');
      await fruit.store(organizationId, { apple: 'green' });
      await sleep(700);
      expect(changes()).toEqual([0]);
      for (const count of [2, 3]) {
        await skip('10 seconds');
        await eventually(() => changes().length === count);
        await haveFailed(key, count);
      }
      const ids = receiver.hints.map(({ headers }) => headers['webhook-id']);
      expect(changes()).toEqual([0, 1, 1]);
      expect(ids[1]).toBe(ids[2]);
      expect(ids[0]).not.toBe(ids[1]);
      expect(await endpoints.find(key)).toMatchObject({ status: 'failing', lastError: 'the answer was 503' });
      for (let i = 0; i < 5; i++) await fruit.store(organizationId, { apple: String(i) });
      receiver.answer = accept;
      await skip('1 hour');
      await eventually(async () => (await endpoints.find(key))!.toldChange === 6);
      expect(changes()).toEqual([0, 1, 1, 6]);
      expect(await endpoints.find(key)).toMatchObject({ status: 'active', lastError: null });
    });
  });

  it('is disabled after 24 hours, and gets a hint at once when it is put again', async () => {
    const organizationId = randomUUID();
    receiver.answer = (_hint, response) => void response.writeHead(302, { location: receiver.url }).end();
    await whileSending(async () => {
      const key = await addEndpoint(organizationId);
      await eventually(async () => (await endpoints.find(key))!.status === 'failing');
      await skip('23 hours');
      await eventually(() => changes().length === 2);
      await haveFailed(key, 2);
      expect(await endpoints.find(key)).toMatchObject({ status: 'failing', lastError: 'the answer was 302' });
      await skip('1 hour');
      await eventually(async () => (await endpoints.find(key))!.status === 'disabled');
      expect(endpointResponse((await endpoints.find(key))!).nextAttemptAt).toBeNull();
      await skip('2 hours');
      await fruit.store(organizationId, { apple: 'green' });
      await sleep(600);
      expect(changes()).toHaveLength(3);
      receiver.answer = accept;
      await endpoints.put(key, { url: receiver.url, description: null }, 'unused');
      await eventually(async () => (await endpoints.find(key))!.toldChange === 1);
      expect(await endpoints.find(key)).toMatchObject({ status: 'active', lastError: null });
    });
  });

  it('is disabled at once by a 410, and gets hints at its new URL when it is moved', async () => {
    receiver.answer = (hint, response) => void response.writeHead(hint.path === '/' ? 410 : 200).end('ok');
    await whileSending(async () => {
      const key = await addEndpoint(randomUUID());
      await eventually(async () => (await endpoints.find(key))!.status === 'disabled');
      await endpoints.put(key, { url: `${receiver.url}/moved`, description: null }, 'unused');
      await eventually(async () => (await endpoints.find(key))!.toldChange === 0);
      await endpoints.put(key, { url: `${receiver.url}/again`, description: null }, 'unused');
      await eventually(() => receiver.hints.at(-1)!.path === '/again');
      expect(receiver.hints.map(({ path }) => path)).toEqual(['/', '/moved', '/again']);
    });
  });

  it.each<[string, HintReceiver['answer'], string]>([
    ['that accepted the last hint', accept, 'told_change = 0'],
    [
      'that fails, and waits to be tried again',
      (_hint, response) => void response.writeHead(500).end(),
      `attempts = 1 AND next_attempt_at > now()`,
    ],
    ['whose call is under way, and whose process is killed', () => undefined, `next_attempt_at > now()`],
  ])('%s gets its number at once in another epoch, and once', async (_, answer, state) => {
    receiver.answer = answer;
    const sender = await startSender();
    await addEndpoint(randomUUID());
    await eventually(() => changes().length === 1);
    await eventually(
      async () =>
        (await fruit.dataSource.query(`SELECT FROM fruit.webhook_endpoint WHERE ${state}`)).length > 0,
    );
    await sender.kill();
    await skip('-1 hour'); // What waits would wait for longer than this test.
    receiver.hints.length = 0;
    receiver.answer = accept;
    await fruit.dataSource.query('UPDATE fruit.change_epoch SET epoch = gen_random_uuid()');
    const others = [await startSender(), await startSender()];
    await eventually(() => changes().length === 1);
    await sleep(700);
    await Promise.all(others.map((other) => other.stop()));
    expect(changes()).toEqual([0]);
  });

  it('gets hints signed with each secret of the last 24 hours, three at most', async () => {
    const organizationId = randomUUID();
    const [lost, next, last] = [1, 2, 3].map(() => WebhookSecrets.create()) as [string, string, string];
    await whileSending(async () => {
      const key = await addEndpoint(organizationId);
      let change = 0;
      const expectSigned = async (by: readonly string[]) => {
        await fruit.store(organizationId, { apple: String(change) });
        change += 1;
        await eventually(() => changes().includes(change));
        expectSignedWith(by, receiver.hints.at(-1)!);
      };
      const rotate = async (to: string) => endpoints.rotateSecret(key, (await secrets.encrypt(to))!);
      await rotate(lost);
      await rotate(next);
      await expectSigned([SECRET, lost, next]);
      await rotate(last);
      await expectSigned([lost, next, last]);
      await fruit.dataSource.query(
        `UPDATE fruit.webhook_endpoint
         SET previous_secrets = jsonb_set(previous_secrets, '{1,until}', to_jsonb(now()))`,
      );
      await expectSigned([next, last]);
    });
  });

  it('made with a key that is not the first any more gets its hints, until the key is removed', async () => {
    const [organizationId, other] = [randomUUID(), randomUUID()];
    const newKey = { id: 'k2', secret: 'another-key-of-webhook-secrets-0123456789' };
    const key = await addEndpoint(organizationId);
    await whileSending(
      async () => {
        await eventually(() => changes().length === 1);
        const next = (await new WebhookSecrets([newKey, ...KEYS]).encrypt(SECRET))!;
        expect(decodeProtectedHeader(next).kid).toBe('k2');
        await endpoints.rotateSecret(key, next);
      },
      new WebhookSecrets([newKey, ...KEYS]),
    );
    const old = await addEndpoint(other);
    await fruit.store(organizationId, { apple: 'green' });
    await whileSending(
      async () => {
        await eventually(async () => (await endpoints.find(key))!.status === 'failing');
        await fruit.dataSource.query(`UPDATE fruit.webhook_endpoint SET previous_secrets = '[]'`);
        await skip('1 hour');
        await eventually(async () => (await endpoints.find(key))!.toldChange === 1);
        expect((await endpoints.find(old))!.lastError).toBe(
          'the secret of the endpoint can not be read: make a new one',
        );
      },
      new WebhookSecrets([newKey]),
    );
  });

  it.each<[string, HintReceiver['answer'], string | null]>([
    ['an endless answer', endless, null],
    ['another protocol', bytes('HTTP/1.1 101 a\r\nUpgrade: x\r\n\r\n'), 'the answer was 101'],
    ['interim answers without end', bytes('HTTP/1.1 103 a\r\n\r\n'.repeat(11)), 'too many interim answers'],
    ['a cut connection', (_hint, response) => void response.destroy(), 'ECONNRESET'],
    ['headers without end', bytes(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`), 'HPE_HEADER_OVERFLOW'],
  ])('may answer with %s', async (_, answer, lastError) => {
    receiver.answer = answer;
    await whileSending(async () => {
      const key = await addEndpoint(randomUUID());
      await eventually(async () => {
        const { toldChange, status } = (await endpoints.find(key))!;
        return lastError === null ? toldChange === 0 : status === 'failing';
      });
      expect((await endpoints.find(key))!.lastError).toBe(lastError);
    });
  });

  it('is not called if its certificate is not trusted, or its host not allowed any more', async () => {
    const stranger = await startReceiver();
    await whileSending(async () => {
      const key = await addEndpoint(randomUUID(), stranger.url);
      await eventually(async () => (await endpoints.find(key))!.status === 'failing');
      expect((await endpoints.find(key))!.lastError).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
      const moved = await addEndpoint(randomUUID(), `https://10.0.0.1:${receiver.port}`);
      await eventually(async () => (await endpoints.find(moved))!.status === 'failing');
      expect((await endpoints.find(moved))!.lastError).toMatch(/an address that is not public$/);
    });
    expect(stranger.hints).toEqual([]);
    await stranger.close();
  });

  it('gets a hint from one process at a time, and from another one if the first is killed', async () => {
    let waiting = 0;
    receiver.answer = () => void waiting++;
    const senders = [await startSender(), await startSender()];
    const key = await addEndpoint(randomUUID());
    await eventually(() => waiting === 1);
    await sleep(600);
    expect(waiting).toBe(1);
    await Promise.all(senders.map((sender) => sender.kill()));
    receiver.answer = accept;
    await skip('15 seconds');
    await whileSending(() => eventually(async () => (await endpoints.find(key))!.toldChange === 0));
  });
});

it('nine of ten endpoints that hang cost the others nothing, the first time and when they fail', async () => {
  // Accepts connections, and never answers.
  const black = createServer(() => undefined);
  await new Promise<void>((resolve) => black.listen(0, '127.0.0.1', resolve));
  const hanging = `https://localhost:${(black.address() as AddressInfo).port}`;
  const organizations = Array.from({ length: Math.min(runs(20), 100) }, () => randomUUID());
  for (let i = 0; i < 10; i++) await Promise.all(organizations.map((id) => addEndpoint(id)));
  const epoch = await endpoints.epoch();
  await fruit.dataSource.query('UPDATE fruit.webhook_endpoint SET told_change = 0, told_epoch = $1', [epoch]);
  /** How long the slowest of so many hints of each organization takes. */
  const slowest = async (hints: number) => {
    const storedAt = new Map<string, number>();
    const delays: number[] = [];
    receiver.answer = (hint, response, request) => {
      const { data } = JSON.parse(hint.body) as { data: { organizationId: string } };
      const since = storedAt.get(data.organizationId);
      if (since !== undefined) delays.push(performance.now() - since);
      accept(hint, response, request);
    };
    for (const id of organizations) {
      await fruit.store(id, { apple: randomUUID() });
      storedAt.set(id, performance.now());
    }
    await eventually(() => delays.length >= organizations.length * hints, 40_000);
    return Math.max(...delays);
  };
  await whileSending(async () => {
    const control = await slowest(10);
    await fruit.dataSource.query(
      `UPDATE fruit.webhook_endpoint SET url = $1
       WHERE (organization_id, id) NOT IN (SELECT organization_id, min(id::text)::uuid FROM fruit.webhook_endpoint GROUP BY 1)`,
      [hanging],
    );
    const whenActive = await slowest(1);
    await fruit.dataSource.query(
      `UPDATE fruit.webhook_endpoint SET status = 'failing', attempts = 3, failing_since = now(),
         next_attempt_at = '-infinity' WHERE url = $1`,
      [hanging],
    );
    const whenFailing = await slowest(1);
    // Before one of the calls that hang is over, unless as many calls that do not hang take as long on this machine.
    const bound = Math.max(5_000, 2 * control);
    expect(whenActive).toBeLessThan(bound);
    expect(whenFailing).toBeLessThan(bound);
    await fruit.dataSource.query('DELETE FROM fruit.webhook_endpoint');
  });
  black.close();
}, 150_000);

it('a poll reads the feeds of organizations with endpoints only', async () => {
  await fruit.dataSource.query(
    `INSERT INTO fruit.change_feed (organization_id, last) SELECT 'other ' || n, n FROM generate_series(1, 50000) AS n`,
  );
  await fruit.dataSource.query('ANALYZE fruit.change_feed');
  const epoch = await endpoints.epoch();
  const keys = await Promise.all(Array.from({ length: 20 }, () => addEndpoint(randomUUID())));
  await fruit.dataSource.query('UPDATE fruit.webhook_endpoint SET told_change = 0, told_epoch = $1', [epoch]);
  const { organizationId } = keys[0]!;
  await fruit.store(organizationId, { apple: 'green' });
  const due = () => endpoints.due(epoch, 100);
  expect(await due()).toEqual([{ organizationId, isFailing: false }]);
  expect(await blocksReadBy(requests, due)).toBeLessThan(200);
});

it('tries again after 5 seconds, doubling to an hour, and up to a fifth more', () => {
  for (const [attempts, seconds] of [
    [0, 5],
    [1, 10],
    [9, 2_560],
    [10, 3_600],
    [1_000_000, 3_600],
  ] as const) {
    const pauses = Array.from({ length: 100 }, () => retryAfterSeconds(attempts));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(seconds);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(seconds * 1.2);
    expect(Math.max(...pauses)).toBeGreaterThan(seconds * 1.1);
  }
});
