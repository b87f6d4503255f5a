import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { withExclusiveLock } from './exclusive-lock';

const SPACE = 0x7465;

let database: TestDatabase;
let first: DataSource;
let second: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  const connect = () => new DataSource({ type: 'postgres', url: database.url }).initialize();
  [first, second] = await Promise.all([connect(), connect()]);
});
afterAll(async () => {
  await Promise.all([first.destroy(), second.destroy()]);
  await database.drop();
});
afterEach(() => jest.restoreAllMocks());

/** Whether a process that asks for the lock gets it. */
async function isFree(dataSource: DataSource, name = 'n'): Promise<boolean> {
  let isFree = false;
  await withExclusiveLock(dataSource, SPACE, name, async () => void (isFree = true));
  return isFree;
}

it('is held by one at a time, by name, and free again afterwards', async () => {
  await withExclusiveLock(first, SPACE, 'n', async () => {
    expect(await isFree(second)).toBe(false);
    expect(await isFree(first)).toBe(false);
    expect(await isFree(second, 'other')).toBe(true);
  });
  expect(await isFree(second)).toBe(true);
});

it('is free again when its holder fails', async () => {
  await expect(
    withExclusiveLock(first, SPACE, 'n', () => Promise.reject(new Error('failed'))),
  ).rejects.toThrow('failed');
  expect(await isFree(second)).toBe(true);
});

it('is lost with its connection, and the holder learns it', async () => {
  await expect(
    withExclusiveLock(first, SPACE, 'n', async (isHeld) => {
      await isHeld();
      await second.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
      await isHeld();
    }),
  ).rejects.toThrow();
  expect(await isFree(second)).toBe(true);
});

it('is held over transactions that are never old', async () => {
  const started = () =>
    second
      .query(
        `SELECT xact_start FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE locktype = 'advisory' AND granted AND pg_stat_activity.datname = current_database()`,
      )
      .then((rows: { xact_start: Date }[]) => rows.map(({ xact_start }) => xact_start.getTime()));
  await withExclusiveLock(first, SPACE, 'n', async (isHeld) => {
    const [before] = await started();
    await isHeld();
    expect(await started()).toEqual([before]);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 31_000);
    await isHeld();
    const [after, ...others] = await started();
    expect(after).toBeGreaterThan(before!);
    expect(others).toEqual([]);
  });
});
