import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { UnstoredRecords } from '@cxp/record-intake';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { runCxp } from './cxp-process';

let database: TestDatabase;
let dataSource: DataSource;
let unstored: UnstoredRecords;

beforeAll(async () => {
  database = await createTestDatabase([accessDatabase, webchatDatabase, contactCenterDatabase], migrate);
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  unstored = new UnstoredRecords(dataSource.manager, 'contact_center');
});
beforeEach(async () => {
  await dataSource.query('DELETE FROM contact_center.rejected_record');
  for (const organization of ['acme', 'other']) {
    await unstored.reject(organization, [
      { record: message('m-1', 'yesterday'), reason: 'data.sentAt: Input should be a valid instant' },
      { record: message('m-2', '2026-01-05T02:11:09.000Z'), reason: 'a check that was too strict' },
    ]);
  }
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

function message(id: string, sentAt: string): string {
  const data = { id, conversationId: 'c-1', senderType: 'agent', sentAt };
  return JSON.stringify({ type: 'message', data });
}

async function rejected(...args: string[]) {
  const command = ['rejected', args[0]!, '--area', 'contact-center', ...args.slice(1)];
  const { status, stdout, stderr } = await runCxp({ DATABASE_URL: database.url }, command);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

it('lists what was put aside, with type, key and reason', async () => {
  const list = JSON.parse(await rejected('list', '--organization', 'acme', '--json'));
  expect(list).toEqual({
    total: 2,
    rejected: [
      {
        id: expect.any(String),
        organization: 'acme',
        type: 'message',
        key: 'm-1',
        reason: 'data.sentAt: Input should be a valid instant',
        rejectedAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ key: 'm-2', reason: 'a check that was too strict' }),
    ],
  });
  expect((await rejected('list')).split('\n')).toHaveLength(6);
}, 60_000);

it('stores what can be stored, and keeps the others', async () => {
  expect(JSON.parse(await rejected('retry', '--organization', 'acme', '--json'))).toEqual({
    stored: 1,
    rejected: 1,
    failures: [],
  });
  expect(await dataSource.query('SELECT organization_id, id FROM contact_center.message')).toEqual([
    { organization_id: 'acme', id: 'm-2' },
  ]);
  expect(await unstored.countRejected(null)).toEqual([
    { organizationId: 'acme', count: 1 },
    { organizationId: 'other', count: 2 },
  ]);
}, 60_000);

it('fails, and keeps all, while another intake of the organization is under way', async () => {
  const holder = dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [0x696e, 'contact-center:acme']);
  const { status, stderr } = await runCxp({ DATABASE_URL: database.url }, [
    ...['rejected', 'retry', '--area', 'contact-center', '--organization', 'acme'],
  ]);
  await holder.rollbackTransaction();
  await holder.release();
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/organization acme can’t be stored now: another intake/),
  ]);
  expect(await unstored.countRejected(null)).toContainEqual({ organizationId: 'acme', count: 2 });
}, 60_000);

it('adds changes that webchat could not send to its outbox again', async () => {
  const conversationId = randomUUID();
  const data = { position: '7', conversationId, messageSequence: '3', activityId: null, ratingRequest: null };
  const record = JSON.stringify({ type: 'change', data });
  const ofWebchat = new UnstoredRecords(dataSource.manager, 'webchat');
  await ofWebchat.reject('acme', [{ record, reason: 'division by zero' }]);
  const run = async (command: string) => {
    const { stdout } = await runCxp({ DATABASE_URL: database.url }, [
      ...['rejected', command, '--area', 'webchat', '--json'],
    ]);
    return JSON.parse(stdout);
  };
  expect((await run('list')).rejected).toMatchObject([{ type: 'change', key: conversationId }]);
  expect(await run('retry')).toEqual({ stored: 1, rejected: 0, failures: [] });
  expect(await ofWebchat.countRejected(null)).toEqual([]);
  expect(
    await dataSource.query('SELECT organization_id, conversation_id, message_sequence FROM webchat.outbox'),
  ).toEqual([{ organization_id: 'acme', conversation_id: conversationId, message_sequence: '3' }]);
}, 60_000);
