import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { type FollowedFeed, Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { eventually } from '@cxp/service-kit/testing';
import { createTestDatabase, runs, seededRandom } from '@cxp/testing';
import { startRedis } from '@cxp/testing/local-servers';
import { send, type HttpAnswer } from '../src/http';
import { execute } from '../src/operated-server';
import { startBuilt } from '../src/service-under-test';
import { callerOf, FOLLOWED, type FollowedService, ROWS_OF_DAY, startFollowed } from './followed-service';
import { startPostgresPair } from './postgres-pair';

const DAYS = 120;
const ROWS = DAYS * ROWS_OF_DAY;
/** Within this time of the promotion the first hint comes, in milliseconds: sooner than an attempt that was under way is given up. */
const HINTED_WITHIN_MS = 10_000;
const CURSOR_EXPIRED = { status: 410, body: { detail: 'Cursor expired' } };

it.each(FOLLOWED)(
  '$service.name: a promoted server refuses cursors of the lost one before its first checkpoint, and a standby serves nothing',
  async ({ service, area, changes, others, next }) => {
    const pair = await startPostgresPair([accessDatabase, service.area]);
    const redis = await startRedis();
    const { headers, organizationId, token } = await callerOf(pair.primaryUrl);
    const environment = { DATABASE_URL: pair.url, REDIS_URL: redis.url };
    const served = await startBuilt(service, environment);
    const get = (path: string, url = served.url) => send(url, { method: 'GET', path, headers });
    const cursor = ((await get(changes)).body as Record<string, string>)[next]!;
    await pair.catchUp();

    const onStandby = await startBuilt(
      service,
      { ...environment, DATABASE_URL: pair.standbyUrl },
      undefined,
      'alive',
    );
    for (const path of ['/health/ready', changes, ...others])
      expect([path, (await get(path, onStandby.url)).status]).toEqual([path, 503]);

    // Its start falls on the standby.
    const target = await createTestDatabase();
    const database = new PostgresDatabase(new Pool({ connectionString: target.url }));
    const urls = { [area.urlKey]: onStandby.url };
    const client = new CxpClient({ organizationId, token, urls, retry: { maxRetries: 1_000 } });
    const report = jest.fn<void, [string]>();
    const copy = new TableCopy(database, area, organizationId);
    const started = new Follower(client, copy, { once: true, verify: true, report }).run();

    await pair.stopReceiving();
    expect(report).not.toHaveBeenCalled();
    await pair.failOver();
    expect(await started).toMatchObject({ rows: 0, verified: { mended: [] } });
    await database.close();
    await target.drop();
    for (const url of [served.url, onStandby.url]) {
      await eventually(async () => (await get(changes, url)).status === 200);
      const answer = await get(`${changes}?cursor=${cursor}`, url);
      expect(answer).toMatchObject(CURSOR_EXPIRED);
      await eventually(async () => (await get('/health/ready', url)).status === 200);
    }
    const timelines = `SELECT timeline_id AS checkpoint, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS written
      FROM pg_control_checkpoint()`;
    expect(await execute(pair.url, timelines)).toEqual([{ checkpoint: 1, written: '00000002' }]);
    await Promise.all([served.stop(), onStandby.stop(), redis.stop()]);
    await pair.remove();
  },
);

/**
 * A follower reads what a primary commits and its standby never gets. The standby takes over and commits other changes. The first answer to the
 * follower's cursor is a 410, its endpoint gets a hint, the follower reads few rows, and its copy is that of the service.
 */
async function expectCopyAfterFailover(
  of: FollowedService,
  random: () => number,
  isLossy: boolean,
): Promise<void> {
  const { service, area, changes, first, row, removal } = of;
  const pair = await startPostgresPair([accessDatabase, service.area]);
  const redis = await startRedis();
  const copy = await startFollowed(of, pair.primaryUrl, { DATABASE_URL: pair.url, REDIS_URL: redis.url });
  const { load, get } = copy;
  /** Changes of a few rows of two days, and a new row of a third one. */
  const change = async (what: string) => {
    const day = Math.floor(random() * (DAYS - 1)) * ROWS_OF_DAY;
    for (let count = 0; count < 1 + random() * 6; count += 1) {
      const number = day + Math.floor(random() * 2 * ROWS_OF_DAY);
      const records = random() < 0.3 ? [removal(number)] : row(number, `${what} ${random()}`);
      await load(...records);
    }
    await load(...row(ROWS, `${what} ${random()}`));
  };
  let read = 0;
  const counted: FollowedFeed = {
    ...area,
    follow: async function* (...args) {
      for await (const batch of area.follow(...args)) {
        read += batch.items.length;
        yield batch;
      }
    },
    rowsOf: async function* (...args) {
      for await (const found of area.rowsOf(...args)) {
        read += 1;
        yield found;
      }
    },
  };
  const reports: string[] = [];
  const follow = (verify = false) => {
    read = 0;
    return copy.follow({ verify, report: (line: string) => void reports.push(line) }, counted);
  };

  await load(...first, ...Array.from({ length: ROWS }, (_, number) => row(number, 'first')).flat());
  await follow();
  expect(read).toBe(ROWS);
  await copy.askForHints();
  await eventually(
    async () => ((await get(copy.endpoint)).body as { toldChange: number }).toldChange !== null,
  );
  if (isLossy) {
    await pair.catchUp();
    await pair.stopReceiving();
  }
  await change('lost, or not');
  await follow();
  const { rows: states } = await copy.pool.query<{ cursor: string }>('SELECT cursor FROM cxp.follow_state');
  await (isLossy ? pair.failOver() : pair.switchOver());
  const hintsBefore = copy.receiver.hints.length;
  const hinted = eventually(() => copy.receiver.hints.length > hintsBefore, HINTED_WITHIN_MS);
  let answer: HttpAnswer | undefined;
  await eventually(async () => {
    answer = await get(`${changes}?cursor=${states[0]!.cursor}`);
    return answer.status !== 503;
  }, 60_000);
  expect(answer).toMatchObject(CURSOR_EXPIRED);
  await hinted;
  await load(...first);
  if (isLossy) await change('after');
  await follow();
  expect(reports.join('\n')).toContain(`the cursor has expired: ${isLossy ? 'reading' : 'nothing differs'}`);
  expect(read / ROWS).toBeLessThanOrEqual(isLossy ? 0.05 : 0);
  expect(await copy.copiedRows()).toEqual(await copy.servedRows());
  expect((await follow(true)).verified!.mended).toEqual([]);
  await copy.remove();
  await redis.stop();
  await pair.remove();
}

describe.each(FOLLOWED)('a follower of $service.name', (followed) => {
  it.each(Array.from({ length: runs(1) }, (_, n) => n))(
    'reads the days that differ, and is right, after a failover that lost what it had read (%d)',
    async (n) => {
      await expectCopyAfterFailover(followed, seededRandom(`${followed.service.name} ${n}`), true);
    },
  );

  it('reads no day after a switchover that lost nothing', async () => {
    await expectCopyAfterFailover(followed, seededRandom(followed.service.name), false);
  });
});
