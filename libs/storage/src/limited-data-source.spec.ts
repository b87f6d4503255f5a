import type { Socket } from 'node:net';
import { createTestDatabase } from '@cxp/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { inTransaction, LimitedDataSource, withClient } from './limited-data-source';

describe('inTransaction', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
    await dataSource.query('CREATE TABLE fruit (name text)');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  const names = async () =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM fruit')).map(({ name }) => name);

  it('sends the opening along with the start, gives its last rows to the work, and commits', async () => {
    const sent = jest.spyOn(Client.prototype, 'query');
    const opening = [
      `SET LOCAL application_name = 'fruit'`,
      'SELECT 1 AS one, pg_current_xact_id()::text AS id',
    ];
    const result = await inTransaction(
      dataSource,
      undefined,
      opening,
      async (manager, rows: readonly { id: string }[]) => {
        const [{ id, name }] = await manager.query(
          `INSERT INTO fruit VALUES ('apple') RETURNING pg_current_xact_id()::text AS id, current_setting('application_name') AS name`,
        );
        expect(rows).toEqual([{ one: 1, id }]);
        return name as string;
      },
    );
    expect(sent).toHaveBeenCalledTimes(3);
    sent.mockRestore();
    expect(result).toBe('fruit');
    expect(await names()).toEqual(['apple']);
  });

  it.each<[what: string, opening: string, work: () => Promise<void>, message: string]>([
    ['the work', 'SELECT', () => Promise.reject(new Error('no')), 'no'],
    ['the opening', 'SELECT 1 / 0', () => Promise.resolve(), 'division by zero'],
  ])(
    'leaves nothing of a transaction when %s fails, and gives a usable connection back',
    async (_, opening, work, message) => {
      const before = await names();
      const failing = inTransaction(
        dataSource,
        undefined,
        [`INSERT INTO fruit VALUES ('pear')`, opening],
        work,
      );
      await expect(failing).rejects.toThrow(message);
      expect(await names()).toEqual(before);
    },
  );

  it('throws the error of a connection that is lost, and lets the next one be made', async () => {
    const losing = inTransaction(dataSource, undefined, ['SELECT'], async (manager) => {
      await manager.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(losing).rejects.toThrow(/terminating connection|Connection terminated/);
    expect(await inTransaction(dataSource, undefined, ['SELECT 1 AS one'], async (_, rows) => rows)).toEqual([
      { one: 1 },
    ]);
  });
});

it('reads a large answer in parts, and serves others between them', async () => {
  const { url, drop } = await createTestDatabase();
  const dataSource = new LimitedDataSource({ type: 'postgres', url, poolSize: 1 }, 1_000);
  await dataSource.initialize();
  const read: number[] = [];
  await withClient(undefined, dataSource, async (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    let isRead = false;
    const answer = client.query(`SELECT repeat('a', 100000) FROM generate_series(1, 100)`);
    void answer.then(() => (isRead = true));
    while (!isRead) {
      const before = stream.bytesRead;
      // Much has come in until the next turn.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      await new Promise((resolve) => setImmediate(resolve));
      read.push(stream.bytesRead - before);
    }
  });
  expect(Math.max(...read)).toBeLessThanOrEqual(256 * 1_024);
  await dataSource.destroy();
  await drop();
});
