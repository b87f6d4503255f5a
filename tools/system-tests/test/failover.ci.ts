import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { startRedis } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { contactCenter, startBuilt, survey } from '../src/service-under-test';
import { createTestDatabase, seededRandom } from '@cxp/testing';
import { callerOf, expectCopyAfterFailover, FOLLOWED } from './failed-over-follower';
import { execute, startPostgresPair } from './postgres-pair';

const [FOLLOWED_SESSIONS, FOLLOWED_RESPONSES] = FOLLOWED.map(({ area }) => area);

const AREAS = [
  {
    service: contactCenter,
    area: FOLLOWED_SESSIONS!,
    changes: '/external/conversation-session-changes',
    others: [
      '/external/conversation-session-digests?startDate=2026-01-05&endDate=2026-01-05',
      '/external/conversation-sessions?startDate=2026-01-05&endDate=2026-01-05',
    ],
    next: 'nextCursor',
  },
  {
    service: survey,
    area: FOLLOWED_RESPONSES!,
    changes: '/external/survey-response-changes',
    others: [
      '/external/survey-response-digests?start_date=2026-01-05&end_date=2026-01-05',
      '/external/survey-campaigns',
    ],
    next: 'next_cursor',
  },
];

it.each(AREAS)(
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
      expect([answer.status, answer.body]).toEqual([410, { detail: 'Cursor expired' }]);
      await eventually(async () => (await get('/health/ready', url)).status === 200);
    }
    const timelines = `SELECT timeline_id AS checkpoint, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS written
      FROM pg_control_checkpoint()`;
    expect(await execute(pair.url, timelines)).toEqual([{ checkpoint: 1, written: '00000002' }]);
    await Promise.all([served.stop(), onStandby.stop(), redis.stop()]);
    await pair.remove();
  },
);

describe.each(FOLLOWED)('a follower of $service.name', (followed) => {
  it('reads the days that differ, and is right, after a failover that lost what it had read', async () => {
    await expectCopyAfterFailover(followed, seededRandom(followed.service.name), true);
  });

  it('reads no day after a switchover that lost nothing', async () => {
    await expectCopyAfterFailover(followed, seededRandom(followed.service.name), false);
  });
});
