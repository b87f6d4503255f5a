import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@cxp/testing';
import type { CopyDatabase, ResultRows } from '../src/database';
import { type FollowedArea, followedAreas, type FollowedChange } from '../src/followed-area';
import { type CopyState, type StoredBatch, withText } from '../src/copied-tables';
import { openTarget } from '../src/databases';
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
  readonly query: (sql: string) => Promise<ResultRows>;
  /** As a new process. */
  readonly reopen: (options?: CopyOptions) => Promise<void>;
}

/** A copy in PostgreSQL and one in a DuckDB file, which are written alike. */
export async function openBoth(
  options: CopyOptions,
  area: FollowedArea['name'] = 'contact-center',
): Promise<{ readonly copies: readonly TestCopy[]; readonly close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cxp-follower-'));
  const postgres = await createTestDatabase();
  const copies = await Promise.all(
    [postgres.url, join(folder, 'copy.duckdb')].map((target) => openOne(target, options, area)),
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

async function openOne(target: string, options: CopyOptions, name: FollowedArea['name']): Promise<TestCopy> {
  const area = followedAreas.find((each) => each.name === name)!;
  const database = await openTarget(target);
  let copy = new TableCopy(database, area, 'demo', options);
  let state: CopyState = await copy.open();
  return {
    database,
    target,
    store: async ({ items = [], ...batch }) => {
      const stated = { cursor: `c-${batch.change}`, startsOver: null, isCurrent: true, ...batch };
      const whole = { ...stated, items: items.map(withText) };
      state = await copy.store(state, whole);
    },
    query: (sql) => database.transaction((run) => run(sql)),
    reopen: async (again = options) => {
      copy = new TableCopy(database, area, 'demo', again);
      state = await copy.open();
    },
  };
}
