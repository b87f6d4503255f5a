import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPgBouncer, workspaceRoot, type LocalServer } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { databases } from '../src/areas';
import { type ServiceUnderTest } from '../src/service-under-test';
import { WORKLOADS } from '../src/workloads';
import { migrate } from '@cxp/storage';
import { findDifferences } from '../src/acknowledged-writes';
import { itKeepsWhatItAcknowledged, itWithstands, runEpisode, type Episode } from '../src/episode';
import { describeResult, Load, succeeded } from '../src/load';
import { OperatedServer, shell } from '../src/operated-server';
import { startOwnStores, type OwnStores } from './own-stores';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';

const PASSWORD = 'a-password-of-a-role';

/** Paths that each use the database in another way: a feed that is read, one that is waited for, a stream, digests. */
const READS = [
  { app: 'contact-center-export', path: '/external/conversation-session-changes?limit=10' },
  { app: 'contact-center-export', path: '/external/conversation-session-changes?cursor=&wait=1' },
  {
    app: 'contact-center-export',
    path: '/external/conversation-session-digests?startDate=2026-01-05&endDate=2026-01-05',
  },
  { app: 'survey-api', path: '/external/survey-response-changes?limit=10' },
  { app: 'survey-api', path: '/external/survey-campaigns' },
  {
    app: 'survey-api',
    path: '/external/survey-response-digests?start_date=2026-01-05&end_date=2026-01-05',
  },
];

/** Who serves, and logs in with a password. */
const roleOf = ({ area }: ServiceUnderTest) => `${area.schema}_service`;

let stores: OwnStores;
let pooler: LocalServer;
let running: RunningWorkloads;

beforeAll(async () => {
  stores = await startOwnStores([]);
  const { postgres, redis } = stores;
  const server = new OperatedServer(postgres);
  await server.runRolesScript('postgres');
  for (const { service } of WORKLOADS) {
    await server.execute('postgres', `ALTER ROLE ${roleOf(service)} PASSWORD '${PASSWORD}'`);
  }
  for (const area of databases) await migrate(area, postgres.url);
  await writeFile(
    join(postgres.directory, 'pg_hba.conf'),
    'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  );
  await server.execute('postgres', 'SELECT pg_reload_conf()');

  pooler = await startPgBouncer(postgres.url, { userlist: await makeUserlist(postgres.url) });
  running = await startWorkloads(postgres.url, (service) => {
    const url = new URL(pooler.url);
    Object.assign(url, { username: roleOf(service), password: PASSWORD });
    return { DATABASE_URL: url.href, DATABASE_POOLER: 'transaction', REDIS_URL: redis.url };
  });
}, 120_000);

afterAll(async () => {
  await running?.stop();
  await pooler?.stop();
  await stores?.remove();
});

/** By the command of docker/growing.md. */
async function makeUserlist(ADMIN_DATABASE_URL: string): Promise<string> {
  const [, command] = /```sh\n(psql [^`]*userlist\.txt[^`]*)```/.exec(
    readFileSync(join(workspaceRoot, 'docker/growing.md'), 'utf8'),
  )!;
  const file = join(stores.postgres.directory, 'userlist.txt');
  await shell(command!.replace('--output=userlist.txt', `--output=${file}`), { ADMIN_DATABASE_URL });
  return readFile(file, 'utf8');
}

function urlOf(app: string): string {
  return [...running.processes].find(([{ service }]) => service.name === app)![1].url;
}

// The whole suites of the apps run behind it with CXP_TEST_POOLER=transaction.
describe('behind PgBouncer with docker/pgbouncer.ini', () => {
  it.each(WORKLOADS)(
    '$service.name serves, and keeps what it acknowledged',
    async ({ service, operations }) => {
      const { caller } = running;
      const load = new Load(operations, caller, (request) => send(urlOf(service.name), request), 4);
      await eventually(() => load.results.length > 50, 60_000);
      const results = await load.stop();
      expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
      expect(await findDifferences(stores.postgres.url, caller.organizationId, results)).toEqual([]);
    },
  );

  it.each(READS)('$app answers $path, again and again', async ({ app, path }) => {
    const read = () => send(urlOf(app), { method: 'GET', path, headers: running.caller.headers });
    for (let n = 0; n < 5; n++) expect((await read()).status).toBe(200);
  });

  it('nobody logs in with a wrong password', async () => {
    const url = new URL(pooler.url);
    Object.assign(url, { username: 'webchat_service', password: 'wrong' });
    await expect(new Client({ connectionString: url.href }).connect()).rejects.toThrow(
      'SASL authentication failed',
    );
  });

  // With PgBouncer's default of server_login_retry requests fail for 15 seconds after PostgreSQL is back.
  describe('when PostgreSQL restarts,', () => {
    let episodes: Episode[];
    beforeAll(async () => {
      const { postgres } = stores;
      episodes = await runEpisode(running.targets, {
        name: 'PostgreSQL restarts',
        begin: () => postgres.stop(),
        end: () => postgres.start(),
      });
    }, 60_000);

    describe.each(WORKLOADS.map(({ service }, index) => ({ name: service.name, index })))(
      '$name',
      ({ index }) => {
        itWithstands(() => episodes[index]!);
        itKeepsWhatItAcknowledged(
          () => episodes[index]!,
          () => ({
            databaseUrl: stores.postgres.url,
            organizationId: running.caller.organizationId,
          }),
        );
      },
    );
  });
});
