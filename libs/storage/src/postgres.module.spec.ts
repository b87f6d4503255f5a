import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { PostgresModule } from './postgres.module';
import { REQUEST_MS, setRequestMs } from './times';

let database: TestDatabase;
beforeAll(async () => {
  setRequestMs(REQUEST_MS);
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function withConnections<Result>(
  isPooled: boolean,
  use: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const postgres = PostgresModule.forRoot({
    url: database.url,
    applicationName: 'test',
    poolSize: 1,
    isPooled,
    areas: [],
  });
  const context = await NestFactory.createApplicationContext(postgres, { logger: false });
  try {
    return await use(context.get(DataSource));
  } finally {
    await context.close();
  }
}

async function settingsOf(isPooled: boolean): Promise<object> {
  const [settings] = await withConnections(isPooled, (source) =>
    source.query<[object]>(
      `SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS statement,
         current_setting('lock_timeout') AS lock,
         current_setting('idle_in_transaction_session_timeout') AS idle`,
    ),
  );
  return settings;
}

async function runStatement(statement: string): Promise<void> {
  await withConnections(false, (source) => source.query(statement));
}

describe('the connections of a service', () => {
  it('compile no statement, and end those that take too long', async () => {
    expect(await settingsOf(false)).toEqual({ jit: 'off', statement: '1500ms', lock: '1400ms', idle: '10s' });
  });

  it.each([true, false])('read times whatever the database is set to, pooled: %s', async (isPooled) => {
    const name = new URL(database.url).pathname.slice(1);
    await runStatement(`ALTER DATABASE "${name}" SET datestyle = 'SQL, DMY'`);
    const read = await withConnections(isPooled, (source) =>
      source.query<object[]>(`SELECT timestamptz '2026-02-01T00:00:00Z' AS time`),
    );
    expect(read).toEqual([{ time: new Date('2026-02-01T00:00:00Z') }]);
  });

  it('set nothing behind a pooler, which would refuse it', async () => {
    expect(await settingsOf(true)).toEqual({ jit: 'on', statement: '0', lock: '0', idle: '0' });
  });
});
