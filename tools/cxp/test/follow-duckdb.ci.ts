import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CxpClient } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule } from '@cxp/contact-center-export/app.module';
import { DuckdbDatabase } from '@cxp/follower';
import { type Caller, eventually, startTestService, type TestService } from '@cxp/service-kit/testing';
import { runs, seededRandom } from '@cxp/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { importRecords, postJson, send } from '@cxp/system-tests/http';
import { CXP } from './cxp-process';

const CONVERSATIONS = 1_500;
const KILLS = 8 * runs(1);
const MARKER = 'Marker4711';
const next = seededRandom('killed DuckDB');
const random = (below: number) => Math.floor(next() * below);

let service: TestService;
let caller: Caller;
let folder: string;
let file: string;

beforeAll(async () => {
  service = await startTestService(AppModule, contactCenterDatabase);
});
afterAll(() => service.stop());
beforeEach(async () => {
  caller = await service.caller();
  folder = await mkdtemp(join(tmpdir(), 'cxp-duckdb-'));
  file = join(folder, 'copy.duckdb');
});
afterEach(() => rm(folder, { recursive: true }));

function start(...options: string[]): ChildProcess {
  const args = ['follow', '--area', 'contact-center', '--organization', caller.organizationId, '--to', file];
  const env = { PATH: process.env.PATH, CXP_URL: service.url, CXP_TOKEN: caller.token };
  return spawn(process.execPath, [...CXP, ...args, ...options], { env });
}

async function finished(child: ChildProcess): Promise<{ status: number; stderr: string }> {
  const exited = once(child, 'close') as Promise<[number]>;
  const [stderr, [status]] = await Promise.all([text(child.stderr!), exited]);
  return { status, stderr };
}

it('is right again after it was killed anywhere: rows, history, views, and nothing of who was erased', async () => {
  await load(Array.from({ length: CONVERSATIONS }, (_, n) => conversation(n, 'first')).flat());
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = start('--views', '--history');
    const ended = finished(child);
    const changed = Array.from({ length: 300 }, () => random(CONVERSATIONS)).filter((n) => n !== kill);
    await load([
      ...changed.flatMap((n) => conversation(n, `kill ${kill}`)),
      ...conversation(kill, MARKER),
      { type: 'conversation', op: 'delete', data: { id: `c-${CONVERSATIONS - 1 - kill}` } },
    ]);
    await sleep(random(1_200));
    const erasure = { id: randomUUID(), subject: { userIds: [`user-${kill}`] } };
    await send(service.url, postJson('/external/erasures', caller, erasure));
    await sleep(random(400));
    child.kill('SIGKILL');
    await ended;
  }
  expect(await finished(start('--once', '--verify', '--views', '--history'))).toMatchObject({ status: 0 });
  expect((await readdir(folder)).sort()).toEqual(['copy.duckdb']);
  const database = await DuckdbDatabase.open(file);
  const query = (sql: string) => database.transaction((run) => run(sql));
  const listed: unknown[] = [];
  const { organizationId, token } = caller;
  const client = new CxpClient({ organizationId, token, urls: { contactCenter: service.url } });
  for await (const row of client.conversationSessions.list({
    startDate: '2000-01-01',
    endDate: '2099-12-31',
  }))
    listed.push(row);
  const copied = await query('SELECT "row" FROM cxp.conversation_session');
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
  expect(sorted(copied.map(({ row }) => JSON.parse(row as string)))).toEqual(sorted(listed));
  const states = 'FROM cxp.session_history AS state';
  // Each state of a key begins where the one before ended, or later.
  expect(
    await query(
      `SELECT conversation_id FROM (SELECT *, lead(change) OVER (PARTITION BY conversation_id, session_index, ticket_id
         ORDER BY change, replaced_by) AS following ${states}) AS each WHERE following < replaced_by
         OR (replaced_by IS NULL AND following IS NOT NULL) OR replaced_by <= change`,
    ),
  ).toEqual([]);
  const [last] = await query('SELECT change FROM cxp.follow_state');
  const counts = await query(
    `SELECT CAST(count(*) AS integer) AS count FROM cxp.as_of(${String(last!.change)})
     UNION ALL SELECT CAST(count(*) AS integer) FROM cxp.session
     UNION ALL SELECT CAST(count(*) AS integer) ${states} WHERE customer_name = '${MARKER}'`,
  );
  expect(counts.map(({ count }) => count)).toEqual([listed.length, listed.length, 0]);
  expect((await readFile(file)).includes(MARKER)).toBe(false);
}, 240_000);

/** Another process that has the file open, as a `duckdb` shell has. */
async function holdFile(): Promise<ChildProcess> {
  const open = `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then(() => { console.log('open'); setInterval(() => {}, 1e6); })`;
  const holder = spawn(process.execPath, ['-e', open, file], { cwd: workspaceRoot });
  await once(holder.stdout, 'data');
  return holder;
}

it('waits for a file that another program has open, a minute at most: then one line says so', async () => {
  await load(conversation(1, 'first'));
  expect(await finished(start('--once'))).toMatchObject({ status: 0 });
  const holder = await holdFile();
  const waiting = start('--once');
  const ended = finished(waiting);
  await sleep(1_500);
  expect(waiting.exitCode).toBeNull();
  const database = await DuckdbDatabase.open(file);
  let minutes = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (minutes += 1) * 60_000);
  await expect(database.transaction(() => Promise.resolve())).rejects.toThrow(
    `${file} is open in another program: close it there`,
  );
  clock.mockRestore();
  holder.kill();
  expect(await ended).toMatchObject({ status: 0 });
});

it('without --once says once that the file is away, and goes on when it is back', async () => {
  await load(conversation(1, 'first'));
  expect(await finished(start('--once'))).toMatchObject({ status: 0 });
  const holder = await holdFile();
  const follower = start();
  let said = '';
  follower.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(follower, 'close');
  // It tries twice more meanwhile.
  await eventually(() => said.includes('the file is away'), 60_000);
  await sleep(12_000);
  holder.kill();
  await eventually(() => said.includes('up to date'), 60_000);
  follower.kill();
  await ended;
  expect(said.split('\n')).toEqual([
    `the file is away, trying again: ${file} is open in another program: close it there`,
    'the file is back',
    'conversation_session: 1 rows, up to date',
    '',
  ]);
});

it('does not write beside another follower of the same file: one goes on, the other says so', async () => {
  await load(Array.from({ length: 200 }, (_, n) => conversation(n, 'first')).flat());
  const results = await Promise.all([
    finished(start('--once', '--history')),
    finished(start('--once', '--history')),
  ]);
  const failed = results.filter(({ status }) => status !== 0);
  expect(failed.length).toBeLessThan(2);
  for (const { stderr } of failed)
    expect(stderr.trim().split('\n').at(-1)).toBe('cxp: another follower writes to the same table');
  expect(await finished(start('--once', '--verify'))).toMatchObject({
    stderr: expect.stringContaining('200 rows, up to date') as string,
  });
});

/** The records of a conversation with one session. */
function conversation(n: number, name: string): object[] {
  const conversationId = `c-${n}`;
  const updatedAt = new Date(Date.UTC(2026, 0, 5) + n * 1_800_000).toISOString();
  const customer = { name, filumId: `user-${n}` };
  const agent = { accountId: 42, email: 'mai@example.com', name: `Mai ${name}` };
  return [
    { type: 'conversation', data: { id: conversationId, createdAt: updatedAt, updatedAt, customer } },
    {
      type: 'activity',
      data: { id: `a-${n}`, conversationId, action: 'assign', occurredAt: updatedAt, agent },
    },
  ];
}

async function load(records: readonly object[]): Promise<void> {
  for (let from = 0; from < records.length; from += 500)
    await importRecords(service.url, caller, records.slice(from, from + 500));
}
