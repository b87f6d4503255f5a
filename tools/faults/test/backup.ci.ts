import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { CxpClient } from '@cxp/client';
import {
  oldestPostgres,
  startPostgres,
  startRedis,
  workspaceRoot,
  type LocalServer,
  type PostgresBinaries,
} from '@cxp/local-servers';
import { send } from '@cxp/services/http';
import { ALL_AREAS, contactCenter, startBuilt, survey } from '@cxp/services/service-under-test';
import { WORKLOADS, type Operation } from '@cxp/services/workloads';
import { migrate } from '@cxp/storage';
import { findDifferences } from '../src/acknowledged-writes';
import { describeResult, Load, succeeded, type LoadResult } from '../src/load';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';

const directory = mkdtempSync(join(tmpdir(), 'cxp-backup-'));
const servers: LocalServer[] = [];
let tools: PostgresBinaries;
let running: RunningWorkloads;
let restored: RunningWorkloads['processes'];
/** What was acknowledged before the dump began, and all that was asked for until it had ended. */
let before: readonly LoadResult[];
let all: readonly LoadResult[];
let restoredUrl: string;

/** Calls of each operation that are answered before the dump begins. */
const CALLS_BEFORE = 10;

const DAY = { start_date: '2026-01-05', end_date: '2026-01-05' };

beforeAll(async () => {
  // pg_dump must not be older than the server: both are Debian's.
  tools = await oldestPostgres();
  const [source, target, redis, otherRedis] = await Promise.all([
    startPostgres({}, tools),
    startPostgres({}, tools),
    startRedis(),
    startRedis(),
  ]);
  servers.push(source, target, redis, otherRedis);
  const databaseUrl = urlOf(source.url, 'cxp');
  restoredUrl = urlOf(target.url, 'cxp');
  await execute(source.url, 'CREATE DATABASE cxp');
  for (const area of ALL_AREAS) await migrate(area, databaseUrl);
  running = await startWorkloads(databaseUrl, { DATABASE_URL: databaseUrl, REDIS_URL: redis.url });

  const loads = WORKLOADS.map(({ operations, service }) =>
    Load.against(urlOfService(running.processes, service.name), operations, running.caller),
  );
  const isServed = (operation: Operation) =>
    loads
      .flatMap(({ results }) => results)
      .filter((result) => result.operation === operation && succeeded(result)).length >= CALLS_BEFORE;
  const operations = WORKLOADS.flatMap((workload) => workload.operations);
  while (!operations.every(isServed)) await sleep(50);
  const [dump, ...restore] = recipe();
  const dumpedAt = performance.now();
  await shell(dump!, { DATABASE_URL: databaseUrl });
  all = (await Promise.all(loads.map((load) => load.stop()))).flat();
  before = all.filter((result) => succeeded(result) && result.endedAt < dumpedAt);
  await running.stop();

  await shell(restore.join('\n'), { OTHER_ADMIN_URL: target.url, OTHER_DATABASE_URL: restoredUrl });
  restored = new Map(
    await Promise.all(
      WORKLOADS.map(async (workload) => {
        const settings = { DATABASE_URL: restoredUrl, REDIS_URL: otherRedis.url };
        return [workload, await startBuilt(workload.service, settings)] as const;
      }),
    ),
  );
}, 300_000);

afterAll(async () => {
  await Promise.all([...(restored?.values() ?? [])].map((service) => service.stop()));
  await running?.stop();
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(directory, { recursive: true });
});

/** The commands of docker/backup.md. */
function recipe(): string[] {
  const page = readFileSync(join(workspaceRoot, 'docker/backup.md'), 'utf8');
  return /^```sh\n([^]*?)^```$/m.exec(page)![1]!.trim().split('\n');
}

async function shell(command: string, environment: Record<string, string>): Promise<void> {
  const PATH = `${tools.directory}${delimiter}${process.env.PATH}`;
  await promisify(execFile)('sh', ['-ec', command], {
    cwd: directory,
    env: { ...tools.env, PATH, ...environment },
  });
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function urlOfService(processes: RunningWorkloads['processes'], name: string): string {
  return [...processes].find(([{ service }]) => service.name === name)![1].url;
}

it('dumps while requests are served, none of which fails', () => {
  expect(all.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
  expect(all.length).toBeGreaterThan(before.length);
});

it('restores all that was acknowledged before the dump began', async () => {
  expect(before.length).toBeGreaterThan(CALLS_BEFORE);
  expect(await findDifferences(restoredUrl, running.caller.organizationId, before)).toEqual([]);
});

it.each(
  WORKLOADS.flatMap(({ service, operations }) => operations.map((operation) => ({ service, operation }))),
)('$service.name goes on as if nothing had happened: $operation.name', async ({ service, operation }) => {
  const answered = before.filter((result) => result.operation === operation);
  expect(answered.length).toBeGreaterThanOrEqual(CALLS_BEFORE);
  for (const { n, answer } of answered.slice(-5)) {
    const again = await send(urlOfService(restored, service.name), operation.request(n, running.caller));
    expect(again.status).toBe(operation.success);
    if (operation.keeps) expect(operation.keeps.id(again, n)).toBe(operation.keeps.id(answer!, n));
  }
});

it('serves each conversation and response that was taken in', async () => {
  const takenIn = (service: typeof survey) =>
    before.filter(
      ({ operation }) =>
        operation.name === 'take records in' &&
        WORKLOADS.find((workload) => workload.operations.includes(operation))!.service === service,
    );
  const cxp = new CxpClient({
    ...running.caller,
    urls: {
      contactCenter: urlOfService(restored, contactCenter.name),
      survey: urlOfService(restored, survey.name),
    },
  });
  for (const { n } of takenIn(contactCenter)) {
    // A conversation without agents has no rows; one that is not there is a 404, which rejects.
    await expect(cxp.conversationSessions.ofConversation(`c-${n}`)).resolves.toBeDefined();
  }
  const [campaign] = (await cxp.surveyCampaigns.page()).items;
  const served = new Set<string>();
  for await (const { identifier } of cxp.surveyResponses.list({ survey_campaign_id: campaign!.id, ...DAY })) {
    served.add(identifier);
  }
  const missing = takenIn(survey).filter(({ operation, n }) => !served.has(operation.keeps!.key(n)));
  expect(missing.map(describeResult)).toEqual([]);
});
