import { Client, DatabaseError } from 'pg';
import {
  itKeepsWhatItAcknowledged,
  itWithstands,
  runEpisode,
  type Episode,
  type Fault,
} from '../src/episode';
import { startOwnStores, type OwnStores } from '../src/own-stores';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { ALL_AREAS } from '../src/services';
import { moveToSmallDisk, type SmallDisk } from '../src/small-disk';
import { WORKLOADS } from '../src/workloads';

let stores: OwnStores;
let disk: SmallDisk;
let running: RunningWorkloads | undefined;
let locker: Client;

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  disk = await moveToSmallDisk(
    stores.postgres.url,
    WORKLOADS.map(({ intakeTable }) => intakeTable),
  );
  locker = new Client({ connectionString: stores.postgres.url });
  await locker.connect();
  running = await startWorkloads(stores.postgres.url, {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    // One is kept by whoever reads the record stream.
    DATABASE_POOL_SIZE: '2',
    SURVEY_EXPORT_POOL_SIZE: '1',
  });
}, 60_000);

afterAll(async () => {
  await running?.stop();
  await locker.end();
  await stores.remove();
  await disk.remove();
});

/** Whoever has the pool's only connection waits for a lock with it. */
const poolExhausted: Fault = {
  name: 'the pool is exhausted',
  begin: async () => {
    for (;;) {
      const failure: unknown = await locker.query(LOCK_EVERY_TABLE).catch((error: unknown) => error);
      if (!(failure instanceof DatabaseError)) return;
      // The load had some of the tables, and waits for others.
      await locker.query('ROLLBACK');
    }
  },
  end: () => locker.query('ROLLBACK'),
};

const LOCK_EVERY_TABLE = `
  BEGIN;
  SET LOCAL lock_timeout = '200ms';
  DO $$
    DECLARE name text;
    BEGIN
      FOR name IN
        SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
        WHERE schemaname IN (${WORKLOADS.map(({ service }) => `'${service.area.schema}'`).join(', ')})
      LOOP
        EXECUTE 'LOCK TABLE ' || name;
      END LOOP;
    END
  $$`;

const diskFull: Fault = {
  name: 'the disk is full',
  begin: () => disk.fill(),
  end: () => disk.free(),
};

describe.each([
  { ...poolExhausted, only: /./ },
  { ...diskFull, only: /^take records in$/ },
])('while $name', ({ only, ...fault }) => {
  let episodes: Episode[];

  beforeAll(async () => {
    const { caller, processes } = running!;
    const targets = WORKLOADS.map((workload) => ({
      url: processes.get(workload)!.url,
      caller,
      operations: workload.operations.filter(({ name }) => only.test(name)),
    }));
    episodes = await runEpisode(targets, fault);
  }, 30_000);

  describe.each(WORKLOADS.map(({ service }, index) => ({ name: service.name, index })))(
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
