import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import {
  accessDatabase,
  ALL_PERMISSIONS,
  ApiTokenRepository,
  OrganizationRepository,
  parsePermissions,
  type Permission,
} from '@cxp/auth-headers';
import { createApp, loadSettings, settingNames, type AppModuleClass, type ServiceSettings } from '..';
import { migrate, openDatabase, REQUEST_MS, type DatabaseSchema } from '@cxp/storage';
import { createTestDatabase, createTestRedis } from '@cxp/testing';
import { checkExchanges } from './exchange-check';

/** A production service with a patient deadline (unless `CXP_TEST_DEADLINE_MS` is given), a free port, and a database and Redis of its own. */
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
  area: DatabaseSchema,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const database = await createTestDatabase([accessDatabase, area], migrate);
  const testRedis = await createTestRedis();
  const complete = {
    ...database.serviceEnvironment,
    REDIS_URL: testRedis.url,
    // A 500 prints its cause.
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    ...unlimited(appModule.settings),
    SHUTDOWN_DRAIN_SECONDS: '0',
    CXP_TEST_DEADLINE_MS: String(PATIENT_MS),
    ...environment,
  };
  // Processes that the test starts later have it, too.
  process.env.CXP_TEST_DEADLINE_MS = complete.CXP_TEST_DEADLINE_MS;
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

/** Rate limits that no test reaches by accident. */
export function unlimited(settings: new () => ServiceSettings): Readonly<Record<string, string>> {
  const limits = settingNames(settings).filter((name) => /_PER_(SEC|MIN)_LIMIT$/.test(name));
  return Object.fromEntries(limits.map((name) => [name, '1000000']));
}

export interface Caller {
  readonly organizationId: string;
  readonly token: string;
  readonly tokenId: string;
  readonly headers: Readonly<Record<string, string>>;
}

const EVERY_PERMISSION = Object.entries(ALL_PERMISSIONS).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}`),
);

export async function issueTestToken(
  dataSource: DataSource,
  options: {
    organizationId?: string;
    permissions?: readonly Permission[];
    lifetimeSeconds?: number;
  } = {},
): Promise<Caller> {
  const { organizationId = `org-${randomUUID()}`, permissions = EVERY_PERMISSION } = options;
  await new OrganizationRepository(dataSource.manager).create({ id: organizationId, name: organizationId });
  const { id, token } = await new ApiTokenRepository(dataSource.manager).issue({
    organizationId,
    name: 'test',
    permissions: parsePermissions(permissions),
    lifetimeSeconds: options.lifetimeSeconds ?? null,
  });
  return {
    organizationId,
    token,
    tokenId: id,
    headers: { authorization: `Bearer ${token}`, 'organization-id': organizationId, 'auth-type': 'token' },
  };
}

/** For tests that reflect over all routes. */
export function controllersOf({ app }: Pick<TestService, 'app'>): Type[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].map(({ metatype }) => metatype as Type),
  );
}

export const REAL_DEADLINE_MS = REQUEST_MS;

/** Milliseconds; ordinary requests may take that long on a busy machine. */
const PATIENT_MS = 20_000;

/** Milliseconds by which a call may exceed a client's timer, which is late on a busy machine. */
const TOLERANCE_MS = 500;

/** @returns the status, and whether it came before a client with this timeout gives up */
export async function statusInTime(
  call: () => Promise<Response>,
  patienceMs = 2_000,
): Promise<{ status: number; isInTime: boolean }> {
  const startedAt = performance.now();
  const control = sleep(patienceMs).then(() => performance.now() - startedAt);
  const { status, body } = await call();
  await body?.cancel();
  const tookMs = performance.now() - startedAt;
  return { status, isInTime: tookMs < (await control) + TOLERANCE_MS };
}
