import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import {
  oldestPostgres,
  startPostgres,
  startRedis,
  type LocalServer,
  type PostgresBinaries,
} from '@cxp/testing/local-servers';
import { snippetsOf } from '@cxp/local-stack/snippets';
import { eventually } from '@cxp/service-kit/testing';
import { DIGITS, MARKER, PERSON, schemasWithPerson, storePerson } from '@cxp/system-tests/erased-person';
import { send } from '@cxp/system-tests/http';
import {
  contactCenter,
  startBuilt,
  survey,
  type ServiceUnderTest,
} from '@cxp/system-tests/service-under-test';
import {
  WORKLOADS,
  type Operation,
  type Workload,
  startWorkloads,
  type RunningWorkloads,
} from '@cxp/system-tests/workloads';
import { findDifferences, describeResult, Load, succeeded, type LoadResult } from '@cxp/system-tests/load';
import { cxpBuilt, migrateBuilt, OperatedServer, shell } from '@cxp/system-tests/operated-server';

/** Calls of each operation that are answered before a backup begins, and before the moment that is recovered. */
const CALLS_BEFORE = 10;

const FEEDS = [
  {
    service: contactCenter,
    area: 'contact-center',
    path: '/external/conversation-session-changes',
    next: 'nextCursor',
  },
  { service: survey, area: 'survey', path: '/external/survey-response-changes', next: 'next_cursor' },
];

const directory = mkdtempSync(join(tmpdir(), 'cxp-backup-'));
const [archive, baseBackup, newData] = ['archive', 'base', 'new'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
const [dump, restore, takeBase, recover, eraseAgain] = snippetsOf('docker/backup.md')
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text) as [string, string, string, string, string];

/** Programs of one version, servers and clients: those of clients must not be older. */
let tools: PostgresBinaries;
let source: OperatedServer;
let target: OperatedServer;
let running: RunningWorkloads;
/** Of the source, before anything was restored. */
const cursors = new Map<ServiceUnderTest, string>();
const stops: (() => Promise<void>)[] = [];

/** All that was asked for, and when the dump began and the moment was that is recovered. */
let all: readonly LoadResult[];
let dumpedAt: number;
let recoveredAt: number;
let passedAt: number;
let recoveryTime: string;

const before = (moment: number) => all.filter((result) => succeeded(result) && result.endedAt < moment);

beforeAll(async () => {
  tools = await oldestPostgres();
  // The server runs as another user.
  chmodSync(directory, 0o755);
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  const [first, second, redis] = await Promise.all([
    startPostgres({ settings: archiving() }, tools),
    startPostgres({}, tools),
    startRedis(),
  ]);
  source = new OperatedServer(first);
  target = new OperatedServer(second);
  stops.push(first.stop, second.stop, redis.stop);
  await source.execute('postgres', 'CREATE DATABASE cxp');
  await source.runRolesScript('cxp');
  for (const { service } of WORKLOADS) await migrateAsOwner(source, 'cxp', service);
  running = await startWorkloads(source.urlOf('cxp'), (service) =>
    serviceEnvironment(source, 'cxp', service, redis),
  );
  stops.push(running.stop);

  const loads = WORKLOADS.map((workload) =>
    Load.against(running.processes.get(workload)!.url, workload.operations, running.caller),
  );
  const results = () => loads.flatMap((load) => load.results);
  await untilServed(results, 0);
  for (const { service, path, next } of FEEDS) {
    const { body } = await send(urlOf(running.processes, service), {
      method: 'GET',
      path,
      headers: running.caller.headers,
    });
    cursors.set(service, (body as Record<string, string>)[next]!);
  }
  const BACKUP_DATABASE_URL = source.urlOf('cxp', 'cxp_backup');
  dumpedAt = performance.now();
  await shell(dump, { BACKUP_DATABASE_URL }, directory);
  await shell(takeBase, { BACKUP_DATABASE_URL, BASE_BACKUP: baseBackup }, directory);
  await untilServed(results, performance.now());
  recoveredAt = performance.now();
  [{ now: recoveryTime }] = (await source.execute('cxp', 'SELECT clock_timestamp()::text AS now')) as [
    { now: string },
  ];
  passedAt = performance.now();
  await untilServed(results, passedAt);
  all = (await Promise.all(loads.map((load) => load.stop()))).flat();
  const [{ last }] = (await source.execute('cxp', 'SELECT pg_walfile_name(pg_switch_wal()) AS last')) as [
    { last: string },
  ];
  await eventually(() => existsSync(join(archive, last)));
}, 300_000);

afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(directory, { recursive: true });
});

/** The settings of docker/backup.md. */
function archiving(): string[] {
  const settings = snippetsOf('docker/backup.md').find(({ language }) => language === 'text')!.text;
  return settings
    .trim()
    .split('\n')
    .map((line) => line.replace(/^(\w+) = '?(.*?)'?$/, '$1=$2').replaceAll('/archive', archive));
}

/** Waits until each operation was answered often enough since a moment. */
async function untilServed(results: () => readonly LoadResult[], since: number): Promise<void> {
  const isServed = (operation: Operation) =>
    results().filter(
      (result) => result.operation === operation && succeeded(result) && result.endedAt > since,
    ).length >= CALLS_BEFORE;
  await eventually(() => WORKLOADS.flatMap(({ operations }) => operations).every(isServed), 60_000);
}

function serviceEnvironment(
  server: OperatedServer,
  database: string,
  { area }: ServiceUnderTest,
  redis: LocalServer,
): Record<string, string> {
  return { DATABASE_URL: server.urlOf(database, `${area.schema}_service`), REDIS_URL: redis.url };
}

function migrateAsOwner(
  server: OperatedServer,
  database: string,
  { name, area }: ServiceUnderTest,
): Promise<string> {
  return migrateBuilt(name, {
    MIGRATION_DATABASE_URL: server.urlOf(database, `${area.schema}_owner`),
    DATABASE_URL: server.urlOf(database, `${area.schema}_service`),
  });
}

async function startEmptyRedis(): Promise<LocalServer> {
  const redis = await startRedis();
  stops.push(redis.stop);
  return redis;
}

/** The services over a restored database. */
async function startServices(
  server: OperatedServer,
  services: readonly Workload[],
  redis: LocalServer,
): Promise<RunningWorkloads['processes']> {
  return new Map(
    await Promise.all(
      services.map(async (workload) => {
        const process = await startBuilt(
          workload.service,
          serviceEnvironment(server, 'cxp', workload.service, redis),
        );
        stops.unshift(() => process.stop());
        return [workload, process] as const;
      }),
    ),
  );
}

async function stopServices(processes: RunningWorkloads['processes']): Promise<void> {
  await Promise.all([...processes.values()].map((process) => process.stop()));
}

function urlOf(processes: RunningWorkloads['processes'], { name }: ServiceUnderTest): string {
  return [...processes].find(([{ service }]) => service.name === name)![1].url;
}

/** A follower that comes with a cursor of before has to begin again. */
async function expectNewEpoch(processes: RunningWorkloads['processes']): Promise<void> {
  for (const { service, path } of FEEDS) {
    const request = {
      method: 'GET',
      path: `${path}?cursor=${cursors.get(service)}`,
      headers: running.caller.headers,
    };
    await eventually(async () => (await send(urlOf(processes, service), request)).status === 410);
  }
}

it('dumps and copies while requests are served, none of which fails', () => {
  expect(all.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
  expect(before(dumpedAt).length).toBeGreaterThan(CALLS_BEFORE);
  expect(all.length).toBeGreaterThan(before(recoveredAt).length);
});

const restoreAgain = restore.replace(/^createdb.*\n/, '');

describe.each([
  ['into a new server', restore, () => target],
  ['again, where roles.sql ran and the database is there', restoreAgain, () => target],
  ['into the database that it is of', restoreAgain, () => source],
])('a dump that is restored %s', (_, commands, serverOf) => {
  let restored: RunningWorkloads['processes'];

  beforeAll(async () => {
    const target = serverOf();
    if (target === source) {
      await stopServices(running.processes);
      // As of a later release, which the dump does not know.
      await target.execute('cxp', 'CREATE TABLE survey.made_up ()', 'survey_owner');
    }
    const environment = { ADMIN_URL: target.urlOf('postgres'), ADMIN_DATABASE_URL: target.urlOf('cxp') };
    // As the operator stands: in the workspace, with the dump beside it.
    await shell(commands.replace('cxp.dump', join(directory, 'cxp.dump')), environment);
    restored = await startServices(target, WORKLOADS, await startEmptyRedis());
  }, 120_000);
  afterAll(async () => {
    await stopServices(restored);
  });

  it('holds all that was acknowledged before it began', async () => {
    expect(
      await findDifferences(serverOf().urlOf('cxp'), running.caller.organizationId, before(dumpedAt)),
    ).toEqual([]);
  });

  it('is served as if nothing had happened, but for a new epoch', async () => {
    for (const { service, operations } of WORKLOADS) {
      for (const operation of operations) {
        const answered = before(dumpedAt).filter((result) => result.operation === operation);
        for (const { n, answer } of answered.slice(-5)) {
          const again = await send(urlOf(restored, service), operation.request(n, running.caller));
          expect(again.status).toBe(operation.success);
          if (operation.keeps) expect(operation.keeps.id(again, n)).toBe(operation.keeps.id(answer!, n));
        }
      }
    }
    await expectNewEpoch(restored);
  });
});

it('a server is brought back to a moment from a base backup and the archived log', async () => {
  const [start, ...commands] = recover.trim().split('\n').reverse();
  expect(start).toMatch(/^pg_ctl start/);
  const environment = {
    BASE_BACKUP: baseBackup,
    NEW_DATA: newData,
    NEW_ARCHIVE: archive,
    ARCHIVE: archive,
    RECOVERY_TIME: recoveryTime,
  };
  await shell(commands.reverse().join('\n'), environment);
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['-R', 'nobody', newData]);
  const server = await startPostgres({ directory: newData }, tools);
  stops.push(server.stop);
  const recovered = new OperatedServer(server);
  await eventually(async () => {
    const [{ recovering }] = (await recovered.execute('cxp', 'SELECT pg_is_in_recovery() AS recovering')) as [
      { recovering: boolean },
    ];
    return !recovering;
  });
  const { organizationId } = running.caller;
  expect(await findDifferences(recovered.urlOf('cxp'), organizationId, before(recoveredAt))).toEqual([]);
  const later = all.filter((result) => succeeded(result) && result.startedAt > passedAt);
  expect((await findDifferences(recovered.urlOf('cxp'), organizationId, later)).length).toBe(
    later.filter(({ operation }) => operation.keeps).length,
  );

  const processes = await startServices(recovered, WORKLOADS.slice(1), await startEmptyRedis());
  await expectNewEpoch(processes);
}, 120_000);

const OF_PERSON = new RegExp(`${MARKER}|${DIGITS}`);

/** The feeds that have something of the person, for a follower that has no cursor yet. */
async function feedsWithPerson(processes: RunningWorkloads['processes']): Promise<string[]> {
  const headers = { ...running.caller.headers, accept: 'application/x-ndjson' };
  const found: string[] = [];
  for (const { service, area, path } of FEEDS) {
    const { text } = await send(urlOf(processes, service), { method: 'GET', path, headers });
    expect(text).toContain('"op":"end"');
    if (OF_PERSON.test(text)) found.push(area);
  }
  return found;
}

it('a person who was erased after the dump is gone again after the steps that follow every restore', async () => {
  const { caller } = running;
  const areas = ['contact_center', 'survey', 'webchat'];
  const inDatabase = () => schemasWithPerson(source.urlOf('cxp'), ['access', ...areas]);
  const inCopy = () => schemasWithPerson(source.urlOf('copy'), ['cxp']);
  const follow = async (processes: RunningWorkloads['processes']) => {
    for (const { service, area } of FEEDS) {
      const environment = { CXP_URL: urlOf(processes, service), CXP_TOKEN: caller.token };
      const of = ['follow', '--area', area, '--organization', caller.organizationId];
      await cxpBuilt(environment, ...of, '--to', source.urlOf('copy'), '--once', '--verify');
    }
  };
  const redis = await startEmptyRedis();
  await stopServices(running.processes);
  const processes = await startServices(source, WORKLOADS, redis);
  await source.execute('postgres', 'CREATE DATABASE copy');
  await storePerson((service) => urlOf(processes, service), caller);
  // Its copy has the person, and it never hears of the first erasure.
  await follow(processes);
  expect(await inCopy()).toEqual(['cxp']);
  expect(await feedsWithPerson(processes)).toEqual(['contact-center', 'survey']);
  const kept = mkdtempSync(join(directory, 'kept-'));
  await shell(dump, { BACKUP_DATABASE_URL: source.urlOf('cxp', 'cxp_backup') }, kept);

  const REQUESTS = join(kept, 'requests.ndjson');
  const subject = { userIds: [PERSON.id], phones: [PERSON.phone], emails: [PERSON.email] };
  writeFileSync(REQUESTS, `${JSON.stringify({ id: randomUUID(), subject })}\n`);
  const erase = () =>
    shell(eraseAgain, {
      DATABASE_URL: source.urlOf('cxp', 'cxp_operator'),
      REDIS_URL: redis.url,
      ORGANIZATION: caller.organizationId,
      REQUESTS,
    });
  await erase();
  expect(await inDatabase()).toEqual([]);

  await stopServices(processes);
  const environment = { ADMIN_URL: source.urlOf('postgres'), ADMIN_DATABASE_URL: source.urlOf('cxp') };
  await shell(restoreAgain.replace('cxp.dump', join(kept, 'cxp.dump')), environment);
  expect(await inDatabase()).toEqual(areas);

  const client = new Redis(redis.url);
  await client.flushall();
  client.disconnect();
  for (const { service } of WORKLOADS) await migrateAsOwner(source, 'cxp', service);
  const printed = await erase();
  expect(printed).toMatch(/^[0-9a-f-]{36}: /);
  expect(printed).not.toMatch(OF_PERSON);
  expect(await inDatabase()).toEqual([]);
  const restored = await startServices(source, WORKLOADS, redis);
  await expectNewEpoch(restored);
  expect(await feedsWithPerson(restored)).toEqual([]);
  await follow(restored);
  expect(await inCopy()).toEqual([]);
}, 240_000);
