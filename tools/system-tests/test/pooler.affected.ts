import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPgBouncer, workspaceRoot, type LocalServer } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { databases } from '@cxp/areas/wiring';
import { type ServiceUnderTest } from '../src/service-under-test';
import { migrate } from '@cxp/storage';
import { describeFault } from './episode';
import { describeResult, findDifferences, Load, succeeded } from '../src/load';
import { OperatedServer, shell } from '../src/operated-server';
import { startOwnStores, type OwnStores } from './own-stores';
import { startWorkloads, WORKLOADS, type RunningWorkloads } from '../src/workloads';

const PASSWORD = 'a-password-of-a-role';

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
  const [, command] = /```sh\n(umask 077\npsql [^`]*userlist\.txt[^`]*)```/.exec(
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

  // With PgBouncer's default of server_login_retry requests fail for 15 seconds after PostgreSQL is back.
  describeFault(
    { name: 'PostgreSQL restarts', begin: () => stores.postgres.stop(), end: () => stores.postgres.start() },
    () => running,
    () => stores.postgres.url,
  );
});
