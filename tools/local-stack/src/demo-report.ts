import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CxpClient } from '@cxp/client';
import {
  DuckdbDatabase,
  type Explain,
  explainBy,
  followedFeeds,
  Follower,
  makeReport,
  TableCopy,
} from '@cxp/follower';
import type { DemoAccess } from './demo';

const TARGET_SECONDS = 120;

/**
 * Copies the demo into a DuckDB file of the stack's directory.
 * @returns makes the report of the demo's last week, of a copy that is up to date
 */
export async function prepareReport(
  directory: string,
  { organizationId, token, urls }: DemoAccess,
): Promise<() => Promise<string>> {
  const file = join(directory, 'demo.duckdb');
  for (const one of [file, `${file}.wal`]) rmSync(one, { force: true });
  const database = await DuckdbDatabase.open(file);
  const client = new CxpClient({ organizationId, token, urls });
  const options = { once: true, verify: false, report: () => undefined };
  const update = async () => {
    for (const area of followedFeeds)
      await new Follower(
        client,
        new TableCopy(database, area, organizationId, { views: true }),
        options,
      ).run();
  };
  await update();
  // An explanation of the same row is the same, and the service answers a few in a second.
  const known = new Map<string, ReturnType<Explain>>();
  const ask = explainBy(client);
  const explain: Explain = (row, timezone) => {
    const key = JSON.stringify(row);
    const found = known.get(key) ?? ask(row, timezone);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
  // Only one at a time can have the file open.
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const made = last.then(async () => {
      await update();
      return makeReport(database, { targetSeconds: TARGET_SECONDS }, () => explain);
    });
    last = made.catch(() => undefined);
    return made;
  };
}
