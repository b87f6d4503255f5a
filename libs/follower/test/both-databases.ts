import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import type { CopyDatabase, ResultRows } from '../src/database';
import { type FollowedFeed, followedFeeds, type FollowedChange } from '../src/followed-feed';
import { type CopyState, type StoredBatch, withText } from '../src/copied-tables';
import { openTarget } from '../src/target';
import { type CopyOptions, TableCopy } from '../src/table-copy';

type TestBatch = Omit<Partial<StoredBatch>, 'items'> & {
  readonly change: number;
  readonly items?: readonly FollowedChange[];
};

export interface TestCopy {
  readonly database: CopyDatabase;
  readonly target: string;
  /** Stores a batch that ends the reading, unless it says something else. */
  readonly store: (batch: TestBatch) => Promise<void>;
  readonly storeCampaigns: TableCopy['storeCampaigns'];
  readonly query: (sql: string) => Promise<ResultRows>;
  /** As a new process. */
  readonly reopen: (options?: CopyOptions) => Promise<void>;
}

/** A copy in PostgreSQL and one in a DuckDB file, which are written alike. */
export async function openBoth(
  options: CopyOptions,
  area: FollowedFeed['name'] = 'contact-center',
  schema = 'cxp',
): Promise<{ readonly copies: readonly TestCopy[]; readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cxp-follower-'));
  const postgres = await createTestDatabase();
  await useForeignSettings(postgres);
  const copies = await Promise.all(
    [postgres.url, join(folder, 'copy.duckdb')].map((target) => openOne(target, options, area, schema)),
  );
  return {
    copies,
    close: async () => {
      for (const { database } of copies) await database.close();
      await postgres.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The database of a client may be set up in any way. */
async function useForeignSettings({ url }: TestDatabase): Promise<void> {
  const pool = new Pool({ connectionString: url });
  for (const setting of [
    ...["DateStyle = 'German'", "IntervalStyle = 'sql_standard'", "TimeZone = 'America/St_Johns'"],
    ...["search_path = 'reporting'", "lc_numeric = 'C'"],
    ...['default_transaction_read_only = on', "default_transaction_isolation = 'serializable'"],
  ])
    await pool.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET ${setting}`);
  await pool.end();
}

async function openOne(
  target: string,
  options: CopyOptions,
  name: FollowedFeed['name'],
  schema: string,
): Promise<TestCopy> {
  const area = followedFeeds.find((each) => each.name === name)!;
  const database = await openTarget(target, schema);
  let copy = new TableCopy(database, area, 'demo', options);
  let state: CopyState = await copy.open();
  return {
    database,
    target,
    store: async ({ items = [], ...batch }) => {
      const stated = { cursor: `c-${batch.change}`, startsOver: null, isCurrent: true, ...batch };
      const whole = { ...stated, items: items.map((item) => withText(area, item)) };
      state = await copy.store(state, whole);
    },
    storeCampaigns: (campaigns) => copy.storeCampaigns(campaigns),
    query: (sql) =>
      database.transaction(async (run) => {
        // Tests compare times as text.
        if (target.startsWith('postgres')) await run("SET LOCAL TimeZone = 'UTC'");
        return run(sql);
      }),
    reopen: async (again = options) => {
      copy = new TableCopy(database, area, 'demo', again);
      state = await copy.open();
    },
  };
}
