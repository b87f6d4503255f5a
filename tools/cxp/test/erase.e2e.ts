import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { ErasureService } from '@cxp/erasure';
import { eventually, issueTestToken } from '@cxp/service-kit/testing';
import { accessDatabase } from '@cxp/auth-headers';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { connectRedis, migrate, openDatabase } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { createTestDatabase, createTestRedis, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { webchatErasure } from '@cxp/webchat-gateway/erasure/webchat-erasure';
import { CXP, runCxp } from './cxp-process';

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
async function storeChat(id: string, userId: string): Promise<void> {
  await dataSource.query(
    `WITH conversation AS (
       INSERT INTO webchat.conversation (organization_id, id, user_id) VALUES ($1, $2, $3)
     )
     INSERT INTO webchat.conversation_identifier VALUES ($1, $2, 'phone:+84901234567')`,
    [organizationId, id, userId],
  );
}

async function userIds(): Promise<string[]> {
  const rows = await dataSource.query<{ user_id: string }[]>(
    'SELECT user_id FROM webchat.conversation WHERE organization_id = $1 ORDER BY user_id',
    [organizationId],
  );
  return rows.map(({ user_id }) => user_id);
}

async function begunErasures(): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    'SELECT count(*)::int FROM webchat.erasure WHERE organization_id = $1',
    [organizationId],
  );
  return row!.count;
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

it('erases again from what a backup brought back, by the certificates alone', async () => {
  const id = randomUUID();
  const file = join(directory, 'certificates.ndjson');
  await storeChat(id, 'hoa');
  const options = ['--organization', organizationId, '--phone', '+84-901234567', '--certificates', file];
  expect(await erase(...options)).toMatchObject({ status: 0, stderr: '' });
  expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(3);
  await dataSource.query(
    'DELETE FROM webchat.erasure; DELETE FROM webchat.erased_key; DELETE FROM webchat.undelivered',
  );
  await storeChat(id, 'hoa');
  await storeChat(randomUUID(), 'new');
  // A backup may not know the organization, either.
  await dataSource.query('DELETE FROM access.api_token WHERE organization_id = $1', [organizationId]);
  await dataSource.query('DELETE FROM access.organization WHERE id = $1', [organizationId]);
  for (let time = 0; time < 2; time++) {
    expect(await erase('--again', file)).toMatchObject({ status: 0, stderr: '' });
    expect(await userIds()).toEqual(['new']);
  }
});

it('of a run that was killed, keeps the certificates all the same', async () => {
  const [id, file] = [randomUUID(), join(directory, 'killed.ndjson')];
  await storeChat(id, 'hoa');
  const person = ['--organization', organizationId, '--user-id', 'hoa', '--certificates', file];
  const locker = dataSource.createQueryRunner();
  await locker.startTransaction();
  await locker.query('LOCK TABLE webchat.conversation');
  const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, PATH: process.env.PATH };
  const child = spawn(process.execPath, [...CXP, 'erase', ...person], { env: environment });
  const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  // Area B is done, and area A has begun; its steps wait for the lock.
  await eventually(async () => (await lines()).length === 1 && (await begunErasures()) === 1);
  child.kill('SIGKILL');
  await once(child, 'close');
  await locker.rollbackTransaction();
  await locker.release();
  // What it has begun goes on in the services; it was killed while it appended.
  await appendFile(file, '{"id":"');
  const client = connectRedis(redis.url);
  await once(client, 'ready');
  const service = new ErasureService(dataSource, webchatErasure(dataSource, client), dataSource);
  await eventually(async () => {
    // Its last statement may still run, and then holds the erasure.
    await dataSource.query('UPDATE webchat.erasure SET next_try_at = now()');
    await service.continueDue();
    return (await userIds()).length === 0;
  });
  client.disconnect();

  expect(await erase(...person)).toMatchObject({ status: 0, stderr: '' });
  const keys = (await lines()).map((line) => (JSON.parse(line) as { keys: object }).keys);
  expect(keys).toContainEqual({ conversation: [id] });
  await expect(readFile(`${file}.begun`)).rejects.toThrow('ENOENT');
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
  ['no organization', ['--user-id', 'hoa'], 2, '--organization is missing'],
  ['no identifier', ['--organization', 'acme'], 2, '--user-id, --phone or --email'],
  ['a blank phone', ['--organization', 'acme', '--phone', ' - '], 2, '--phone or --email must not be blank'],
  ['an empty email', ['--organization', 'acme', '--email', ''], 2, 'must have 1 to 255 characters'],
  [
    'too many identifiers',
    ['--organization', 'acme', ...Array.from({ length: 101 }, (_, n) => ['--user-id', String(n)]).flat()],
    2,
    'at most 100 identifiers',
  ],
  ['a mode', ['--organization', 'acme', '--user-id', 'x', '--mode', 'delete'], 2, "unknown option '--mode'"],
  [
    '--again with a person',
    ['--again', 'file', '--email', 'x@example.com'],
    2,
    '--again takes no identifiers',
  ],
  [
    'an unknown organization',
    ['--organization', 'nobody', '--user-id', 'x'],
    1,
    'there is no organization nobody',
  ],
  ['a file that is missing', ['--again', 'no-such-file'], 1, 'there is no file'],
])('%s is one line', async (_, options, status, words) => {
  const result = await erase(...options);
  expect(result.status).toBe(status);
  expect(result.stderr).toContain(words);
  expect(result.stderr.trim().split('\n')).toHaveLength(1);
});

const CERTIFICATE = {
  organizationId: 'acme',
  area: 'webchat',
  id: randomUUID(),
  requestedAt: '2026-01-05T02:00:00.000Z',
  keys: { conversation: [randomUUID()] },
};

it.each<[what: string, line: string, words: string]>([
  ['lacks fields', '{"area":"webchat"}', 'is no certificate'],
  ['is cut off', JSON.stringify(CERTIFICATE).slice(0, -10), 'is no certificate'],
  ['is of an unknown area', JSON.stringify({ ...CERTIFICATE, area: 'crm' }), 'is no certificate'],
  [
    'the endpoint would refuse',
    JSON.stringify({ ...CERTIFICATE, keys: { ticket: ['1'] } }),
    'is no certificate: keys must be ids of records of this area by their type',
  ],
])('names the line of a file that %s', async (_, line, words) => {
  const file = join(directory, 'broken.ndjson');
  await writeFile(file, `\n${line}\n`);
  const { status, stderr } = await erase('--again', file);
  expect(status).toBe(1);
  expect(stderr).toMatch(new RegExp(`^cxp: line 2 ${words}\\n$`));
});

it('refuses a certificate of another organization than the one that is named', async () => {
  const file = join(directory, 'other.ndjson');
  await writeFile(file, JSON.stringify(CERTIFICATE));
  expect(await erase('--organization', 'other', '--again', file)).toMatchObject({
    status: 1,
    stderr: 'cxp: line 1 is the certificate of another organization\n',
  });
});
