import type { Caller, TestService } from '@cxp/service-kit/testing';
import { readParquet } from '@cxp/spreadsheet/parquet-testing';
import { record } from './builders/platform-records';
import { ChangeFollower, listDigests } from './change-follower';
import {
  EVER,
  importRecords,
  listSessions,
  ORGANIZATION_MISMATCH,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

const UTC = { ...EVER, timezone: 'UTC' };

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

async function store(...records: object[]): Promise<void> {
  await importRecords(service, caller, records).expect(200);
}

const at = (id: string, updatedAt: string, more: object = {}) => [
  record.conversation({ id, updatedAt, ...more }),
  record.activity({ id: `of ${id}`, conversationId: id, agent: { accountId: 1, email: 'ann@example.com' } }),
];

async function digests(query: Record<string, string> = UTC) {
  return (await listDigests(service, caller, query).expect(200)).body as {
    change: number;
    items: { date: string; rows: number; digest: string; lastChange: number }[];
  };
}

describe('digests by day', () => {
  it('are those that a client computes from its copy, after any change', async () => {
    const follower = new ChangeFollower(service, caller);
    const compare = async () => {
      await follower.follow();
      expect((await digests()).items).toEqual(follower.digests());
    };
    await store(...at('a', '2026-01-05T00:00:00Z'), ...at('b', '2026-01-05T23:59:59.999Z'));
    await store(
      ...at('c', '2026-01-06T00:00:00Z', { customer: { name: 'Nguyễn "😀"' } }),
      record.ticket({
        id: 1,
        conversationId: 'c',
        customFields: { 10: 'x', 9: 'y', '\ufb33': 'z', '😀': '' },
      }),
    );
    await compare();
    await store(record.conversation({ id: 'a', updatedAt: '2026-01-06T05:00:00Z' }));
    await compare();
    await store({ type: 'activity', op: 'delete', data: { id: 'of c' } });
    await compare();
    await store({ type: 'conversation', op: 'delete', data: { id: 'b' } });
    await compare();
    expect(await digests()).toMatchObject({
      change: 8,
      items: [{ date: '2026-01-06', rows: 2, lastChange: 7 }],
    });
  });

  it('know the greatest number when the row that had it leaves the day', async () => {
    await store(...at('a', '2026-01-05T00:00:00Z'), ...at('b', '2026-01-05T00:30:00Z'));
    expect((await digests()).items).toMatchObject([{ rows: 2, lastChange: 2 }]);
    await store(record.conversation({ id: 'b', updatedAt: '2026-01-07T00:00:00Z' }));
    expect((await digests()).items).toMatchObject([
      { date: '2026-01-05', rows: 1, lastChange: 1 },
      { date: '2026-01-07', rows: 1, lastChange: 3 },
    ]);
  });

  it.each([
    ['UTC', ['2026-01-05 4']],
    ['Asia/Singapore', ['2026-01-06 4']],
    ['Asia/Kolkata', ['2026-01-05 2', '2026-01-06 2']],
    ['Asia/Kathmandu', ['2026-01-05 1', '2026-01-06 3']],
    ['America/Los_Angeles', ['2026-01-05 4']],
  ])('are by the days of %s, also where a day begins within an hour', async (timezone, expected) => {
    await store(
      ...at('a', '2026-01-05T18:14:59.999Z'),
      ...at('b', '2026-01-05T18:15:00Z'),
      ...at('c', '2026-01-05T18:30:00Z'),
      ...at('d', '2026-01-05T18:45:00Z'),
    );
    const { items } = await digests({ ...EVER, timezone });
    expect(items.map(({ date, rows }) => `${date} ${rows}`)).toEqual(expected);
  });

  it('hold the rows of the window only, to the instant', async () => {
    await store(
      ...at('before', '2026-01-04T18:29:59.999Z'),
      ...at('first', '2026-01-04T18:30:00Z'),
      ...at('last', '2026-01-06T18:29:59.999Z'),
      ...at('after', '2026-01-06T18:30:00Z'),
    );
    const { items } = await digests({
      startDate: '2026-01-05',
      endDate: '2026-01-06',
      timezone: 'Asia/Kolkata',
    });
    expect(items).toMatchObject([
      { date: '2026-01-05', rows: 1 },
      { date: '2026-01-06', rows: 1 },
    ]);
  });

  it('of an organization without rows are none', async () => {
    expect(await digests()).toEqual({ change: 0, items: [] });
  });

  describe('of a window with many hours', () => {
    const MOST = 17_568;
    const window = { startDate: '2010-01-01', endDate: '2029-12-31', timezone: 'Asia/Kathmandu' };

    /** Counts as those of an organization whose conversations are updated in each of so many hours. */
    async function countHours(hours: number): Promise<void> {
      await service.dataSource.query(
        `INSERT INTO contact_center.session_count (
           organization_id, group_id, hours, starts_at, handoff_to_ai, terminal, replaced_by_other_handoff,
           service_account_takeover, open_at_end, without_session, digest, last_change)
         SELECT $1, 0, 1, '2010-01-02T00:00Z'::timestamptz + hour * interval '1 hour', 1, 0, 0, 0, 0, 0, 5, hour
         FROM generate_series(1, $2) AS hour`,
        [caller.organizationId, hours],
      );
    }

    it('are told as long as they are no more than two years of hours', async () => {
      await countHours(MOST);
      const { items } = await digests(window);
      // The hour in which a day begins is read row by row, and there are none.
      expect(items.reduce((sum, { rows }) => sum + rows, 0)).toBe((MOST / 24) * 23);
      expect(items).toHaveLength(MOST / 24 + 1);
      expect(items.map(({ date }) => date)).toEqual(items.map(({ date }) => date).sort());
    });

    it('are a 422 that names the limit beyond it', async () => {
      await countHours(MOST + 1);
      expect((await listDigests(service, caller, window).expect(422)).body).toEqual({
        detail: [
          {
            loc: ['query', 'endDate'],
            msg: 'a window must have at most 17,568 hours with rows',
            type: 'too_large',
          },
        ],
      });
    });

    it('are left out of a Parquet file beyond it', async () => {
      await countHours(MOST + 1);
      const { body } = await listSessions(service, caller, window)
        .set('accept', 'application/vnd.apache.parquet')
        .responseType('blob')
        .expect(200);
      expect(Object.keys((await readParquet(body as Buffer)).metadata)).toEqual(['window']);
    });
  });

  it('are refused as B1 is', async () => {
    const { body } = await listDigests(service, caller, { startDate: '2026-02-30' }).expect(422);
    expect(body.detail).toHaveLength(2);
    expect((await listDigests(service, caller, { organizationId: 'other' }).expect(403)).body).toEqual(
      ORGANIZATION_MISMATCH,
    );
    const importer = await service.caller({ permissions: ['$platform_record:import'] });
    expect((await listDigests(service, importer).expect(401)).body).toEqual(UNAUTHORIZED);
  });
});
