import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { issueTestToken } from '@cxp/service-kit/testing';
import { accessDatabase } from '@cxp/auth-headers';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { migrate, openDatabase } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { createTestDatabase, createTestRedis, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { runCxp, startCxp } from './cxp-process';

let database: TestDatabase;
let redis: Awaited<ReturnType<typeof createTestRedis>>;
let dataSource: DataSource;
let organizationId: string;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase(
    [accessDatabase, webchatDatabase, contactCenterDatabase, surveyDatabase],
    migrate,
  );
  redis = await createTestRedis();
  dataSource = await openDatabase(database.url, [accessDatabase, webchatDatabase]);
  directory = await mkdtemp(join(tmpdir(), 'cxp-erase-'));
});
beforeEach(async () => {
  ({ organizationId } = await issueTestToken(dataSource));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await dataSource.destroy();
  await redis.close();
  await database.drop();
});

const erase = (...options: string[]) =>
  runCxp({ DATABASE_URL: database.url, REDIS_URL: redis.url }, ['erase', ...options]);

/** A chat of a customer, as webchat stores it. */
async function storeChat(id: string, userId: string, identifier = 'phone:+84901234567'): Promise<void> {
  await dataSource.query(
    `WITH conversation AS (
       INSERT INTO webchat.conversation (organization_id, id, user_id) VALUES ($1, $2, $3)
     )
     INSERT INTO webchat.conversation_identifier VALUES ($1, $2, $4)`,
    [organizationId, id, userId, identifier],
  );
}

async function userIds(): Promise<string[]> {
  const rows = await dataSource.query<{ user_id: string }[]>(
    'SELECT user_id FROM webchat.conversation WHERE organization_id = $1 ORDER BY user_id',
    [organizationId],
  );
  return rows.map(({ user_id }) => user_id);
}

it('shows what it would erase, erases it, and may be repeated', async () => {
  await storeChat(randomUUID(), 'hoa');
  await storeChat(randomUUID(), 'other');
  const person = ['--organization', organizationId, '--user-id', 'hoa'];
  const tried = await erase(...person, '--dry-run');
  expect(tried).toMatchObject({ status: 0, stderr: '' });
  expect(tried.stdout).toMatch(
    /^contact-center: nothing found\nwebchat: 1 conversations.* found\nsurvey: nothing found; user ids match nothing in this area\n$/,
  );
  expect(await userIds()).toEqual(['hoa', 'other']);
  const erased = await erase(...person);
  expect(erased).toMatchObject({ status: 0, stderr: '' });
  expect(erased.stdout).toMatch(/\nwebchat: 1 conversations.* erased\n/);
  expect(await userIds()).toEqual(['other']);
  expect((await erase(...person)).stdout).toMatch(/\nwebchat: nothing found\n/);
});

describe('of a file of requests', () => {
  const chats = ['hoa', 'an', 'binh'] as const;
  const [hoa, an] = [randomUUID(), randomUUID()];
  const lines = [
    JSON.stringify({ id: hoa.toUpperCase(), subject: { userIds: ['hoa'] } }),
    '',
    `{"id":"${randomUUID()}","subject":{"emails":["secret@example.com"]`,
    JSON.stringify({ id: randomUUID(), subject: { phones: ['+84 secret'], emails: ['---', 7] } }),
    JSON.stringify({ subject: { userIds: ['binh'] } }),
    JSON.stringify({ id: randomUUID(), subject: { userIds: ['binh'] }, mode: null }),
    JSON.stringify({ id: 'x', subject: { userIds: ['binh'] }, dryRun: true }),
    'x'.repeat(300_000),
    JSON.stringify({ id: an, subject: { userIds: ['an'] }, dryRun: false }),
  ];
  const TOLD = [
    `${hoa}: contact-center: nothing found; webchat: 1 conversations erased; survey: nothing found`,
    'line 3: not done: body must be valid JSON in UTF-8',
    'line 4: not done: emails must be an array of texts',
    'line 5: not done: id is missing',
    'line 6: not done: mode must be delete, or be left out',
    'line 7: contact-center: nothing found; webchat: 1 conversations found; survey: nothing found',
    'line 8: not done: a request has at most 262144 bytes',
    `${an}: contact-center: nothing found; webchat: 1 conversations erased; survey: nothing found`,
  ];
  let file: string;
  beforeEach(async () => {
    for (const user of chats) await storeChat(randomUUID(), user, `user:${user}`);
    file = join(directory, `${randomUUID()}.ndjson`);
    // The last line has no end.
    await writeFile(file, lines.join('\n'));
  });

  it('does each, names the lines that are none, quotes nothing of them, and does not write the file', async () => {
    const all = ['--organization', organizationId, '--requests'];
    const before = await stat(file);
    const { status, stdout, stderr } = await erase(...all, file);
    expect(stdout.trim().split('\n')).toEqual(TOLD);
    expect(stderr).toBe('cxp: 5 of 8 requests were not done\n');
    expect(status).toBe(1);
    expect(await userIds()).toEqual(['binh']);
    // Again, from standard input: the same certificates.
    const again = await startCxp(
      { DATABASE_URL: database.url, REDIS_URL: redis.url },
      ['erase', ...all, '-'],
      await readFile(file, 'utf8'),
    );
    expect(again.stdout).toBe(stdout);
    expect(await readFile(file, 'utf8')).toBe(lines.join('\n'));
    expect((await stat(file)).mtimeMs).toBe(before.mtimeMs);
    expect((await readdir(directory)).filter((name) => name.startsWith(basename(file)))).toEqual([
      basename(file),
    ]);
  });

  it('erases once more what a backup brought back, and prints one object for programs', async () => {
    await writeFile(file, [lines[0], lines.at(-1)].join('\n'));
    const all = ['--organization', organizationId, '--requests', file, '--json'];
    expect(await erase(...all)).toMatchObject({ status: 0, stderr: '' });
    await dataSource.query(
      'DELETE FROM webchat.erasure; DELETE FROM webchat.erased_key; DELETE FROM webchat.undelivered',
    );
    await storeChat(randomUUID(), 'hoa', 'user:hoa');
    const { status, stdout } = await erase(...all);
    expect(status).toBe(0);
    expect(await userIds()).toEqual(['binh']);
    const { requests } = JSON.parse(stdout) as { requests: { request: string; certificates: object[] }[] };
    expect(requests).toMatchObject([
      {
        request: hoa,
        certificates: [{ area: 'contact-center' }, { area: 'webchat', found: { conversations: 1 } }, {}],
      },
      { request: an, certificates: [{}, { area: 'webchat', found: { conversations: 0 } }, {}] },
    ]);
  });

  it('names a request whose id is of another subject that is being erased', async () => {
    await writeFile(file, lines[0]!);
    await dataSource.query(
      `INSERT INTO contact_center.erasure (organization_id, id, subject, next_attempt_at) VALUES ($1, $2, $3, 'infinity')`,
      [organizationId, hoa, JSON.stringify({ userIds: ['other'], phones: [], emails: [] })],
    );
    const { status, stdout } = await erase('--organization', organizationId, '--requests', file);
    expect(status).toBe(1);
    expect(stdout).toBe(
      `${hoa}: not done: id belongs to an erasure of another subject, which is under way\n`,
    );
  });
});

it('prints only its result on standard output if a step fails once', async () => {
  await storeChat(randomUUID(), 'hoa');
  await dataSource.query(
    `CREATE SEQUENCE failures;
     CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('failures') = 1 THEN RAISE 'once'; END IF;
       RETURN NULL;
     END $$;
     CREATE TRIGGER fail_once AFTER DELETE ON webchat.conversation FOR EACH STATEMENT EXECUTE FUNCTION fail_once()`,
  );
  const { status, stdout, stderr } = await erase(
    ...['--organization', organizationId, '--user-id', 'hoa', '--json'],
  );
  await dataSource.query('DROP FUNCTION fail_once CASCADE');
  expect(status).toBe(0);
  expect((JSON.parse(stdout) as { certificates: object[] }).certificates).toHaveLength(3);
  expect(stderr).toMatch(/^a step of an erasure is tried again: .*\n$/);
});

it('names REDIS_URL in one line, and connects no more, if Redis does not answer', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status, stderr } = await runCxp(
    { DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${port}` },
    ['erase', '--organization', organizationId, '--user-id', 'hoa'],
  );
  const before = connections;
  await sleep(500);
  server.close();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^cxp: Redis does not answer: is REDIS_URL right\? .*\n$/);
  expect(connections).toBe(before);
});

it.each<[what: string, options: string[], status: number, words: string]>([
  ['no organization', ['--user-id', 'hoa'], 2, "required option '--organization <id>'"],
  ['no identifier', ['--organization', 'acme'], 2, '--user-id, --phone or --email'],
  [
    'a blank phone',
    ['--organization', 'acme', '--phone', ' - '],
    2,
    'subject must have 1 to 100 identifiers',
  ],
  ['an empty email', ['--organization', 'acme', '--email', ''], 2, 'must hold no empty text'],
  [
    'too many identifiers',
    ['--organization', 'acme', ...Array.from({ length: 101 }, (_, n) => ['--user-id', String(n)]).flat()],
    2,
    'userIds must contain no more than 100 elements',
  ],
  ['a mode', ['--organization', 'acme', '--user-id', 'x', '--mode', 'delete'], 2, "unknown option '--mode'"],
  ['an id that is none', ['--organization', 'acme', '--user-id', 'x', '--id', 'x'], 2, 'id must be a UUID'],
  ['--again', ['--organization', 'acme', '--again', 'file'], 2, "unknown option '--again'"],
  [
    '--certificates',
    ['--organization', 'acme', '--certificates', 'file'],
    2,
    "unknown option '--certificates'",
  ],
  [
    '--requests with a person',
    ['--organization', 'acme', '--requests', 'file', '--email', 'x@example.com'],
    2,
    '--requests takes no identifiers',
  ],
  [
    '--requests as a dry run',
    ['--organization', 'acme', '--requests', 'file', '--dry-run'],
    2,
    'no --dry-run',
  ],
  [
    'an unknown organization',
    ['--organization', 'nobody', '--user-id', 'x'],
    1,
    'there is no organization nobody',
  ],
])('%s is one line', async (_, options, status, words) => {
  const result = await erase(...options);
  expect(result.status).toBe(status);
  expect(result.stderr).toContain(words);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
});

it('says that a file of requests is missing', async () => {
  const { status, stderr } = await erase('--organization', organizationId, '--requests', 'no-such-file');
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'cxp: there is no file no-such-file\n' });
});
