import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { eventually, startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { recordsDocument } from '../src/intake/records.openapi';
import { organizationLock } from '../src/intake/store-records';
import { fruitDatabase, fruitRecords, FruitModule } from './fruit-service';

const NDJSON = 'application/x-ndjson';
const TOO_LARGE = { detail: 'an intake must be at most 10,000 records and 16 MiB' };

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService(FruitModule, fruitDatabase);
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

function send(text: string, headers: Record<string, string> = {}): request.Test {
  return request(service.url)
    .post('/internal/records')
    .set({ ...caller.headers, 'content-type': NDJSON, ...headers })
    .send(text)
    .expect(({ status, headers }) => {
      const documented = RESPONSES[status]!.headers;
      const required = Object.keys(documented).filter((name) => documented[name]!.required);
      expect(Object.keys(headers as object)).toEqual(
        expect.arrayContaining(required.map((name) => name.toLowerCase())),
      );
    });
}

/** The answers that the document of intake has, by status. */
const { responses: RESPONSES } = recordsDocument(fruitRecords).paths['/internal/records']!
  .post as unknown as {
  responses: Record<number, { headers: Record<string, { required: boolean }> }>;
};

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

/** Has the turn of the caller's organization until its transaction ends. */
async function holdTurn() {
  const holder = service.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query(`SELECT ${organizationLock('fruit', '$1')}`, [caller.organizationId]);
  return holder;
}

describe('POST /internal/records', () => {
  it('stores records for the authenticated organization and says how many lines held one', async () => {
    const { body } = await send(`${fruit(1)}\r\n\r\n \n${fruit(2, 'pear')}\n`).expect(200);
    expect(body).toEqual({ accepted: 2 });
    expect(await stored()).toEqual([
      [1, 'apple'],
      [2, 'pear'],
    ]);
    expect((await send('').expect(200)).body).toEqual({ accepted: 0 });

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
        { loc: ['body', 4], msg: 'record must be valid JSON in UTF-8', type: 'json_invalid' },
      ],
    });
    expect(await stored()).toEqual([]);
  });

  it('reports what only the stored data could judge, and stores nothing', async () => {
    const { body } = await send([fruit(1), fruit(2, 'unwelcome')].join('\n')).expect(422);
    expect(body).toEqual({
      detail: [{ loc: ['body', 2, 'data', 'name'], msg: 'is unwelcome', type: 'value_error' }],
    });
    expect(await stored()).toEqual([]);
  });

  it('lists the first 100 problems', async () => {
    const { body } = await send('nonsense\n'.repeat(10_000)).expect(422);
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc[1])).toEqual(range(100).map((i) => i + 1));
    expect((await send('nonsense\n'.repeat(200_000)).expect(413)).body).toEqual(TOO_LARGE);
    await send(fruit(1)).expect(200);
  });

  it('is 422 when a line is longer than a record may be', async () => {
    const { body } = await send(`${fruit(1)}\n${'x'.repeat(3 * 1024 * 1024)}\n${fruit(3)}`).expect(422);
    expect(body).toEqual({
      detail: [{ loc: ['body', 2], msg: 'a record must be at most 64 KiB as text', type: 'too_large' }],
    });
  });

  it('names the line that PostgreSQL refuses, also when only the lines before make it wrong', async () => {
    for (const place of [0, 1, 4_321, 9_999]) {
      const lines = range(10_000).map((id) => fruit(id, id === place ? 'poison' : 'apple'));
      const { body } = await send(lines.join('\n')).expect(422);
      const msg = expect.stringMatching(/^PostgreSQL refuses the record: .*fruit_name_check/);
      expect(body).toEqual({ detail: [{ loc: ['body', place + 1], msg, type: 'value_error' }] });
    }
    expect(await stored()).toEqual([]);
  });
});

const MANY_VALUES = `{"type":"fruit","data":{"id":1,"name":"apple","x":[${'0,'.repeat(19_989)}0]}}\n`;

it.each([
  ['10,000 records', range(10_000).map((id) => `${fruit(id)}\n\n`), fruit(10_000), TOO_LARGE],
  [
    '16 MiB',
    [...range(16 * 1_024 - 1).map(() => `${' '.repeat(1_023)}\n`), fruit(1).padEnd(1_024)],
    ' ',
    TOO_LARGE,
  ],
  [
    '1,000,000 values',
    range(50).map(() => MANY_VALUES),
    MANY_VALUES,
    { detail: 'an intake must hold at most 1,000,000 members and elements' },
  ],
])('a body may have %s; more is 413, and nothing is stored', async (_, lines, more, answer) => {
  expect((await send(lines.join('') + more).expect(413)).body).toEqual(answer);
  expect(await stored()).toEqual([]);
  const accepted = lines.filter((line) => line.trim() !== '').length;
  expect((await send(lines.join('')).expect(200)).body).toEqual({ accepted });
});

it('an error of PostgreSQL that does not blame the data is 503; if it is a mistake of ours, the log has its cause as an error', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  await service.dataSource.query('ALTER TABLE fruit.fruit RENAME COLUMN name TO title');
  await send(fruit(1)).expect(503);
  expect(logged.mock.calls).toEqual([[expect.objectContaining({ code: '42703' })]]);
  logged.mockRestore();
  await service.dataSource.query('ALTER TABLE fruit.fruit RENAME COLUMN title TO name');
  await send(fruit(1)).expect(200);
});

describe('errors are worded with detail in every area', () => {
  it('401 without an API token, or with one of another organization', async () => {
    const other = await service.caller();
    const tokens = ['', 'Bearer secret', other.headers.authorization!];
    for (const headers of [
      ...tokens.map((authorization) => ({ authorization })),
      { 'auth-type': 'account' },
    ]) {
      const { body } = await send(fruit(1), headers).expect(401);
      expect(body).toEqual({ detail: 'Invalid or missing token' });
    }
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

  it('wait for their organization’s turn without a connection, and other organizations do not wait', async () => {
    const [own, other] = [caller, await service.caller()];
    const holder = await holdTurn();
    const waiting = Promise.all(range(5).map((id) => send(fruit(id))));
    await eventually(async () => (await statementsThatWait(service.dataSource)).length === 1);
    caller = other;
    await send(fruit(1)).expect(200);
    expect(await statementsThatWait(service.dataSource)).toHaveLength(1);

    await holder.rollbackTransaction();
    await holder.release();
    expect((await waiting).map(({ status }) => status)).toEqual(range(5).map(() => 200));
    caller = own;
    expect(await stored()).toHaveLength(5);
  });

  it('under way are eight at most of an organization: the ninth is 429 with Retry-After, others are not concerned', async () => {
    const own = caller;
    const holder = await holdTurn();
    const answers = range(9).map((id) => send(fruit(id)).then((answer) => answer));
    // The others wait for their turn.
    const { status, headers, body } = await Promise.race(answers);
    expect([status, headers['retry-after'], body]).toEqual([429, '5', { detail: 'Rate limit exceeded' }]);
    caller = await service.caller();
    await send(fruit(1)).expect(200);

    caller = own;
    await holder.rollbackTransaction();
    await holder.release();
    const statuses = (await Promise.all(answers)).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([...range(8).map(() => 200), 429]);
  });
});

describe('a body that comes slowly', () => {
  let sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  /** Sends the beginning of a body and no more. */
  async function begin(text: string, length = 1_000_000): Promise<Socket> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    await once(socket, 'connect');
    const headers = Object.entries({
      ...caller.headers,
      'content-type': NDJSON,
      host: hostname,
      'content-length': String(length),
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST /internal/records HTTP/1.1\r\n${head}\r\n${text}`);
    return socket;
  }

  async function statusOf(socket: Socket): Promise<string> {
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  }

  const lines = (count: number) =>
    range(count)
      .map((id) => `${fruit(id)}\n`)
      .join('');

  it('is no intake of its organization, holds no connection and no lock, and if it is cut off stores nothing', async () => {
    const begun = await Promise.all(range(12).map(() => begin(lines(8_000))));
    await send(fruit(1)).expect(200);
    expect(await openTransactions()).toBe(0);
    for (const socket of begun) socket.destroy();
    await send(fruit(2)).expect(200);
    expect((await stored()).map(([id]) => id)).toEqual([1, 2]);
  });

  it('and waits for its turn is no work of its organization', async () => {
    const holder = await holdTurn();
    const text = lines(10);
    const slow = await Promise.all(range(6).map(() => begin(text.slice(0, 9), text.length)));
    // Their handlers read by then.
    await sleep(300);
    for (const socket of slow) socket.write(text.slice(9));
    await eventually(async () => (await statementsThatWait(service.dataSource)).length === 1);
    await send(fruit(1), { 'content-type': 'text/plain' }).expect(422);
    await holder.rollbackTransaction();
    await holder.release();
    await eventually(async () => (await stored()).length === 10);
  });

  it('is 413 before it has arrived, if it says that it is larger than it may be', async () => {
    expect(await statusOf(await begin('', 16 * 1024 * 1024 + 1))).toMatch(/^HTTP\/1.1 413 /);
  });

  async function openTransactions(): Promise<number> {
    const rows: unknown[] = await service.dataSource.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
    );
    return rows.length;
  }
});

it('removals count in the order of their arrival', async () => {
  const removal = (id: number) => JSON.stringify({ type: 'fruit', op: 'delete', data: { id } });
  await send([fruit(1), removal(1), fruit(2), fruit(3), removal(3), fruit(3, 'pear')].join('\n')).expect(200);
  expect(await stored()).toEqual([
    [2, 'apple'],
    [3, 'pear'],
  ]);
});
