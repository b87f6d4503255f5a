import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { PostgresModule } from './postgres.module';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database.drop());

async function settingsOf(isPooled: boolean): Promise<object> {
  const postgres = PostgresModule.forRoot({
    url: database.url,
    applicationName: 'test',
    poolSize: 1,
    isPooled,
    areas: [],
  });
  const context = await NestFactory.createApplicationContext(postgres, { logger: false });
  try {
    const [settings] = await context.get(DataSource).query<[object]>(
      `SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS statement,
         current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    return settings;
  } finally {
    await context.close();
  }
}

describe('the connections of a service', () => {
  it('compile no statement, and end those that take too long', async () => {
    expect(await settingsOf(false)).toEqual({ jit: 'off', statement: '30s', idle: '1min' });
  });

  it('set nothing behind a pooler, which would refuse it', async () => {
    expect(await settingsOf(true)).toEqual({ jit: 'on', statement: '0', idle: '0' });
  });
});
