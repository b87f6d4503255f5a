import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { issueTestToken } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { startPostgres, startRedis, startService, type ServiceProcess } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { buildProject } from '@cxp/build';
import { compareLoad } from '../compare-load';
import { imageEnvironment } from '../image-environment';
import type { Load } from '../load';
import { peakResidentMegabytes } from '../peak-memory';

const SECONDS = 4;
const CONNECTIONS = 32;
const ORGANIZATION = 'bench';
const KNOWN_USERS = 600_000;
const LIVE_SESSIONS = 1_000;

/** A1 and A2 beside the bare handler, in turn, each in a process of its own over the same databases. */
export async function benchSessions(): Promise<void> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await buildProject('apps/webchat-gateway');
  await migrate(accessDatabase, postgres.url);
  await migrate(webchatDatabase, postgres.url);
  const headers = await prepareOrganization(postgres.url);
  const env = {
    ...imageEnvironment(),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    // The bare handler logs nothing.
    LOG_LEVEL: 'warn',
    WEBCHAT_WEBSOCKET_URL: 'wss://bench/sessions',
    WEBCHAT_SESSION_TOKEN_KEYS: 'bench:0123456789abcdef0123456789abcdef',
    EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '1000000',
    EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '1000000',
    DATABASE_POOL_SIZE: '10',
  };
  const portVariable = 'WEBCHAT_PORT';
  const service = await startService({ entry: 'dist/apps/webchat-gateway/main.js', env, portVariable });
  const startBare = (BENCH_PREPARED: 'on' | 'off') =>
    startService({
      entry: 'tools/bench/src/sessions/bare-server.ts',
      env: { ...env, BENCH_PREPARED },
      portVariable,
    });
  const bares = { plain: await startBare('off'), prepared: await startBare('on') };
  const scenarios = await prepareScenarios(service, headers);

  const rows: Record<string, Record<string, string | number>> = {};
  for (const [name, scenario] of Object.entries(scenarios)) {
    for (const [kind, bare] of Object.entries(bares)) {
      rows[`${name} (bare: ${kind})`] = await compareLoad(scenario, service.url, bare.url);
    }
  }
  console.table(rows);
  console.log(`peak resident memory: ${peakResidentMegabytes(service).toFixed(0)} MB`);
  await Promise.all([service, ...Object.values(bares)].map((process) => process.stop()));
  await Promise.all([postgres.stop(), redis.stop()]);
}

async function prepareOrganization(databaseUrl: string): Promise<Record<string, string>> {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  const caller = await issueTestToken(dataSource, { organizationId: ORGANIZATION });
  await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
    ORGANIZATION,
  ]);
  await dataSource.query(
    `INSERT INTO webchat.conversation (organization_id, user_id) SELECT $1, 'known-' || n FROM generate_series(1, $2) AS n`,
    [ORGANIZATION, KNOWN_USERS],
  );
  await dataSource.query('ANALYZE');
  await dataSource.destroy();
  return { ...caller.headers, 'content-type': 'application/json' };
}

async function prepareScenarios(
  service: ServiceProcess,
  headers: Record<string, string>,
): Promise<Record<string, Omit<Load, 'url'>>> {
  const create = (userId: string) => ({
    method: 'POST' as const,
    path: '/external/sessions',
    body: JSON.stringify({ organizationId: ORGANIZATION, installedSourceId: 1, user: { id: userId } }),
  });
  const sessionIds: string[] = [];
  for (let n = 0; n < LIVE_SESSIONS; n++) {
    const { path, ...request } = create(`live-${n}`);
    const response = await fetch(service.url + path, { ...request, headers });
    sessionIds.push(((await response.json()) as { sessionId: string }).sessionId);
  }
  let known = 0;
  let turn = 0;
  const base = { headers, connections: CONNECTIONS, seconds: SECONDS };
  return {
    'create, new user': { ...base, expectedStatus: 201, nextRequest: () => create(randomUUID()) },
    'create, known user': { ...base, expectedStatus: 201, nextRequest: () => create(`known-${++known}`) },
    'create, reuse': {
      ...base,
      expectedStatus: 201,
      nextRequest: () => create(`live-${turn++ % LIVE_SESSIONS}`),
    },
    refresh: {
      ...base,
      expectedStatus: 200,
      nextRequest: () => ({
        method: 'POST',
        path: '/external/sessions/refresh',
        body: JSON.stringify({ sessionId: sessionIds[turn++ % LIVE_SESSIONS] }),
      }),
    },
  };
}
