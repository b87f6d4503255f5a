import { once } from 'node:events';
import { connect } from 'node:net';
import request from 'supertest';
import { eventually, startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { fruitDatabase, fruitService } from './fruit-service';

const NDJSON = 'application/x-ndjson';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService(fruitService, fruitDatabase, {});
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

function send(text: string, headers: Record<string, string> = {}): request.Test {
  return request(service.url)
    .post('/internal/records')
    .set({ ...caller.headers, 'content-type': NDJSON, ...headers })
    .send(text);
}

function fruit(id: number, name = 'apple'): string {
  return JSON.stringify({ type: 'fruit', data: { id, name } });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

async function stored(): Promise<[number, string][]> {
  const rows: { id: string; name: string }[] = await service.dataSource.query(
    'SELECT id, name FROM fruit.fruit WHERE organization_id = $1 ORDER BY id',
    [caller.organizationId],
  );
  return rows.map(({ id, name }) => [Number(id), name]);
}

describe('POST /internal/records', () => {
  it('stores records for the authenticated organization and says how many lines held one', async () => {
    const { body } = await send(`${fruit(1)}\r\n\r\n \n${fruit(2, 'pear')}\n`).expect(200);
    expect(body).toEqual({ accepted: 2 });
    expect(await stored()).toEqual([
      [1, 'apple'],
      [2, 'pear'],
    ]);

    caller = await service.caller();
    expect(await stored()).toEqual([]);
  });

  it('may be repeated: every record is an upsert, of repeated ones the last counts', async () => {
    const text = [fruit(1), fruit(2), fruit(1, 'pear')].join('\n');
    for (const _ of range(2)) expect((await send(text).expect(200)).body).toEqual({ accepted: 3 });
    expect(await stored()).toEqual([
      [1, 'pear'],
      [2, 'apple'],
    ]);
  });

  it('accepts nothing at all', async () => {
    expect((await send('').expect(200)).body).toEqual({ accepted: 0 });
  });

  it('takes more records than one round of statements', async () => {
    const { body } = await send(
      range(4_500)
        .map((id) => fruit(id))
        .join('\n'),
    ).expect(200);
    expect(body).toEqual({ accepted: 4_500 });
    expect(await stored()).toHaveLength(4_500);
  });

  it('is not rate limited: it is the platform’s', async () => {
    for (const id of range(5)) await send(fruit(id)).expect(200);
  });
});

describe('a request with a bad line', () => {
  it('is 422 with every problem by line and stores nothing', async () => {
    const { body } = await send(
      [fruit(1), '', '{"type":"fruit","data":{"id":"x"}}', 'nonsense', fruit(5)].join('\n'),
    ).expect(422);
    expect(body).toEqual({
      detail: [
        { loc: ['body', 3, 'data', 'name'], msg: 'Field required', type: 'missing' },
        { loc: ['body', 3, 'data', 'id'], msg: 'Input should be a valid integer', type: 'integer_type' },
        { loc: ['body', 4], msg: 'line must be valid JSON in UTF-8', type: 'json_invalid' },
      ],
    });
    expect(await stored()).toEqual([]);
  });

  it('tells what only the stored data could judge, and stores nothing', async () => {
    const { body } = await send([fruit(1), fruit(2, 'unwelcome')].join('\n')).expect(422);
    expect(body).toEqual({
      detail: [{ loc: ['body', 2, 'data', 'name'], msg: 'is unwelcome', type: 'value_error' }],
    });
    expect(await stored()).toEqual([]);
  });

  it('stores nothing even when thousands of good lines came before', async () => {
    await send([...range(4_500).map((id) => fruit(id)), 'nonsense'].join('\n')).expect(422);
    expect(await stored()).toEqual([]);
  });

  it('lists the first 100 problems, and is answered although the rest is not read', async () => {
    const { body } = await send('nonsense\n'.repeat(200_000)).expect(422);
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc[1])).toEqual(range(100).map((i) => i + 1));
    await send(fruit(1)).expect(200);
  });

  it('is told when the line is longer than 1 MiB', async () => {
    const { body } = await send(`${fruit(1)}\n${'x'.repeat(3 * 1024 * 1024)}\n${fruit(3)}`).expect(422);
    expect(body).toEqual({
      detail: [{ loc: ['body', 2], msg: 'line is longer than 1 MiB', type: 'line_too_long' }],
    });
  });
});

describe('errors are worded with detail in every area', () => {
  it('401 without a token, or with one of another organization', async () => {
    const other = await service.caller();
    for (const authorization of ['', 'Bearer secret', other.headers.authorization!]) {
      const { body } = await send(fruit(1), { authorization }).expect(401);
      expect(body).toEqual({ detail: 'Invalid or missing token' });
    }
  });

  it('401 for an account session: API tokens only', async () => {
    expect((await send(fruit(1), { 'auth-type': 'account' }).expect(401)).body).toEqual({
      detail: 'Invalid or missing token',
    });
  });

  it('403 without the permission', async () => {
    caller = await service.caller({ permissions: ['$webchat_session:create'] });
    expect((await send(fruit(1)).expect(403)).body).toEqual({ detail: 'Permission denied' });
  });

  it.each(['application/json', 'text/plain', 'application/x-ndjsonx', 'nonsense'])(
    '422 with content-type %s',
    async (type) => {
      const { body } = await send(fruit(1), { 'content-type': type }).expect(422);
      expect(body).toEqual({
        detail: [{ loc: ['body'], msg: 'content-type must be application/x-ndjson', type: 'content_type' }],
      });
    },
  );

  it.each(['application/x-ndjson; charset=utf-8', 'Application/X-NDJSON'])(
    'none with content-type %s',
    async (type) => {
      await send(fruit(1), { 'content-type': type }).expect(200);
    },
  );
});

describe('concurrent requests', () => {
  it('that store the same records in opposite orders take turns: each is stored whole or may try again', async () => {
    const up = range(100).map((id) => fruit(id, 'up'));
    const down = range(100)
      .map((id) => fruit(id, 'down'))
      .reverse();
    const answers = await Promise.all(range(6).map((i) => send((i % 2 ? up : down).join('\n'))));
    const statuses = new Set(answers.map(({ status }) => status));
    statuses.delete(503); // Its turn did not come in time.
    expect([...statuses]).toEqual([200]);
    expect(new Set((await stored()).map(([, name]) => name)).size).toBe(1);
  });

  it('of which one is cut off store what the other sent, and nothing of the one that was cut off', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const headers = Object.entries({
      ...caller.headers,
      'content-type': NDJSON,
      host: hostname,
      'content-length': '1000000',
    });
    socket.write(
      `POST /internal/records HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    // More than is read before the transaction opens.
    socket.write(
      range(2_001)
        .map((id) => `${fruit(id)}\n`)
        .join(''),
    );
    await eventually(transactionIsOpen);
    socket.destroy();

    expect((await send(fruit(2)).expect(200)).body).toEqual({ accepted: 1 });
    expect(await stored()).toEqual([[2, 'apple']]);
  });

  async function transactionIsOpen(): Promise<boolean> {
    const rows: unknown[] = await service.dataSource.query(
      `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
    );
    return rows.length > 0;
  }
});
