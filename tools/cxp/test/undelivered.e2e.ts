import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/auth-headers';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { runCxp } from './cxp-process';

const [FIRST, SECOND] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createTestDatabase([accessDatabase, webchatDatabase], migrate);
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
beforeEach(async () => {
  await dataSource.query('DELETE FROM webchat.undelivered');
  await dataSource.query(
    `INSERT INTO webchat.undelivered (organization_id, conversation_id, attempts, next_attempt_at, last_error)
     VALUES ('acme', '${FIRST}', 3, '2099-01-05T12:00:00Z', '422 data.id: too large'),
            ('other', '${SECOND}', 0, '2026-01-05T12:00:00Z', NULL)`,
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const undelivered = async (...options: string[]) =>
  JSON.parse((await runCxp({ DATABASE_URL: database.url }, ['undelivered', ...options, '--json'])).stdout);

it('lists what is not delivered, with the reasons', async () => {
  const first = {
    organization: 'acme',
    conversationId: FIRST,
    attempts: 3,
    nextAttemptAt: '2099-01-05T12:00:00.000Z',
    lastError: '422 data.id: too large',
  };
  const second = {
    organization: 'other',
    conversationId: SECOND,
    attempts: 0,
    nextAttemptAt: '2026-01-05T12:00:00.000Z',
    lastError: null,
  };
  expect(await undelivered('list')).toEqual({ total: 2, undelivered: [first, second] });
  expect(await undelivered('list', '--organization', 'acme')).toEqual({ total: 1, undelivered: [first] });
  expect(await undelivered('list', '--organization', 'none')).toEqual({ total: 0, undelivered: [] });
  const { stdout } = await runCxp({ DATABASE_URL: database.url }, ['undelivered', 'list']);
  expect(stdout).toContain(`acme\t${FIRST}\t3\t2099-01-05T12:00:00.000Z\t422 data.id: too large\n`);
});

it('has what failed sent now', async () => {
  expect(await undelivered('retry', '--organization', 'other')).toEqual({ retried: 0 });
  expect(await undelivered('retry')).toEqual({ retried: 1 });
  const due = await dataSource.query('SELECT FROM webchat.undelivered WHERE next_attempt_at <= now()');
  expect(due).toHaveLength(2);
});
