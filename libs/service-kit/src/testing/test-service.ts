import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/auth-headers';
import { createApp, loadSettings, type AppModuleClass, type ServiceSettings } from '..';
import { migrate, type DatabaseArea, openDatabase } from '@cxp/storage';
import { createTestDatabase, createTestRedis } from '@cxp/testing';
import { issueTestToken, type Caller } from './caller';
import { checkExchanges } from './exchange-check';
import { setDeadline } from './deadline';
import { unlimited } from './unlimited';

/** A production service with a patient deadline (`setDeadline`), a free port, and a database and Redis of its own. */
export interface TestService {
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Has all rights; the service's own is `app.get(DataSource)`. */
  readonly dataSource: DataSource;
  readonly redis: Redis;
  readonly environment: Readonly<Record<string, string>>;
  readonly caller: (options?: Parameters<typeof issueTestToken>[1]) => Promise<Caller>;
  /** @throws if an exchange contradicted the service's document */
  readonly stop: () => Promise<void>;
}

export async function startTestService<Settings extends ServiceSettings>(
  appModule: AppModuleClass<Settings>,
  area: DatabaseArea,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const database = await createTestDatabase([accessDatabase, area], migrate);
  const testRedis = await createTestRedis();
  const complete = {
    ...database.serviceEnvironment,
    REDIS_URL: testRedis.url,
    LOG_LEVEL: 'silent',
    ...unlimited(appModule.settings),
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...environment,
  };
  const { CXP_TEST_DEADLINE_MS } = environment;
  setDeadline(CXP_TEST_DEADLINE_MS ? Number(CXP_TEST_DEADLINE_MS) : undefined);
  const settings = loadSettings(appModule.settings, complete);
  const app = await createApp(appModule, settings);
  const assertAsDocumented = checkExchanges(app.getHttpServer(), appModule.serviceName);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const dataSource = await openDatabase(environment.DATABASE_URL ?? database.url, [accessDatabase, area]);
  return {
    url: await app.getUrl(),
    app,
    dataSource,
    redis: app.get(Redis),
    environment: complete,
    caller: (options) => issueTestToken(dataSource, options),
    stop: async () => {
      await app.close();
      await dataSource.destroy();
      await testRedis.close();
      await database.drop();
      assertAsDocumented();
    },
  };
}
