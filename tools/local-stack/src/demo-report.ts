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

const WAIT_TARGET_SECONDS = 120;

/**
 * Copies the demo into a DuckDB file of the stack's directory.
 * @returns makes the report of the demo's last week, of a copy that is up to date
 */
export async function prepareReport(
  directory: string,
  { organizationId, token, urls }: DemoAccess,
): Promise<() => Promise<string>> {
  const file = join(directory, 'demo.duckdb');
  for (const path of [file, `${file}.wal`]) rmSync(path, { force: true });
  const database = await DuckdbDatabase.open(file);
  const client = new CxpClient({ organizationId, token, urls });
  const options = { once: true, verify: false, report: () => undefined };
  const followers = followedFeeds.map((feed) => {
    const copy = new TableCopy(database, feed, organizationId, { views: true });
    return new Follower(client, copy, options);
  });
  const update = async () => {
    for (const follower of followers) await follower.run();
  };
  await update();
  // The service answers a few in a second, and each report asks for the same rows.
  const known = new Map<string, ReturnType<Explain>>();
  const ask = explainBy(client);
  const explain: Explain = (row, timezone) => {
    const key = JSON.stringify([row, timezone]);
    const found = known.get(key) ?? ask(row, timezone);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
  // Each opens the file: one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const report = () => {
    const made = last.then(async () => {
      await update();
      return makeReport(database, { targetSeconds: WAIT_TARGET_SECONDS }, () => explain);
    });
    last = made.catch(() => undefined);
    return made;
  };
  // The first one loads what draws the page, and asks for the explanations.
  report().catch(() => undefined);
  return report;
}
