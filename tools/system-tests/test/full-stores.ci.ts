import { Client, DatabaseError } from 'pg';
import { eventually } from '@cxp/service-kit/testing';
import {
  itKeepsWhatItAcknowledged,
  itWithstands,
  runEpisode,
  SHORT_DEADLINE_MS,
  type Episode,
  type Fault,
} from '../src/episode';
import { startOwnStores, type OwnStores } from './own-stores';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { databases } from '../src/areas';
import { WORKLOADS } from '../src/workloads';

let stores: OwnStores;
let running: RunningWorkloads | undefined;
let locker: Client;

beforeAll(async () => {
  stores = await startOwnStores(databases);
  locker = new Client({ connectionString: stores.postgres.url });
  await locker.connect();
  running = await startWorkloads(stores.postgres.url, {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    CXP_TEST_DEADLINE_MS: String(SHORT_DEADLINE_MS),
    // The reader of the record stream keeps one.
    DATABASE_POOL_SIZE: '2',
  });
}, 60_000);

afterAll(async () => {
  await running?.stop();
  await locker.end();
  await stores.remove();
});

/** Every statement of the tables waits for a lock, and keeps its connection of the pool. */
function locked(tables: string): Pick<Fault, 'begin' | 'end'> {
  return {
    begin: () =>
      eventually(async () => {
        const failure: unknown = await locker.query(lockStatement(tables)).catch((error: unknown) => error);
        if (!(failure instanceof DatabaseError)) return true;
        // The load had some of the tables, and waits for others.
        await locker.query('ROLLBACK');
        return false;
      }),
    end: () => locker.query('ROLLBACK'),
  };
}

function lockStatement(tables: string): string {
  const schemas = WORKLOADS.map(({ service }) => `'${service.area.schema}'`).join(', ');
  return `
    BEGIN;
    SET LOCAL lock_timeout = '200ms';
    DO $$
      DECLARE name text;
      BEGIN
        FOR name IN
          SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
          WHERE schemaname IN (${schemas}) AND tablename LIKE '${tables}'
        LOOP
          EXECUTE 'LOCK TABLE ' || name;
        END LOOP;
      END
    $$`;
}

/** Inserts fail with PostgreSQL's error for a full disk. */
const DISK_FULL = `
  CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  ${WORKLOADS.map(({ intakeTable }) => `CREATE TRIGGER disk_full BEFORE INSERT ON ${intakeTable} EXECUTE FUNCTION disk_full();`).join('\n')}`;

/** A fault, and the operations that it hits. */
const FAULTS: readonly (Fault & { readonly hits: RegExp })[] = [
  { name: 'the pool is exhausted', hits: /./, ...locked('%') },
  { name: 'the pool of exports is exhausted', hits: /^export responses$/, ...locked('bucket') },
  {
    name: 'the disk is full',
    hits: /^take records in$/,
    begin: () => locker.query(DISK_FULL),
    end: () => locker.query('DROP FUNCTION disk_full() CASCADE'),
  },
];

describe.each(FAULTS)('while $name', ({ hits, ...fault }) => {
  const targets = WORKLOADS.map((workload) => ({
    workload,
    operations: workload.operations.filter(({ name }) => hits.test(name)),
  })).filter(({ operations }) => operations.length > 0);
  let episodes: Episode[];

  beforeAll(async () => {
    const { caller, processes } = running!;
    episodes = await runEpisode(
      targets.map(({ workload, operations }) => ({ url: processes.get(workload)!.url, caller, operations })),
      fault,
    );
  }, 90_000);

  describe.each(targets.map(({ workload }, index) => ({ name: workload.service.name, index })))(
    '$name',
    ({ index }) => {
      const episode = () => episodes[index]!;
      itWithstands(episode);
      itKeepsWhatItAcknowledged(episode, () => ({
        databaseUrl: stores.postgres.url,
        organizationId: running!.caller.organizationId,
      }));
    },
  );
});
