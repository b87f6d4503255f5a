import { conversationOfAnn, record, removal } from './builders/platform-records';
import { EVER, ORGANIZATION_MISMATCH, useContactCenter } from './contact-center-service';

const UTC = { ...EVER, timezone: 'UTC' };

const area = useContactCenter();
beforeEach(() => area.newOrganization());

const at = (id: string, updatedAt: string) => conversationOfAnn({ id, updatedAt });

async function digests(query: Record<string, string> = UTC) {
  return (await area.listDigests(query).expect(200)).body as {
    change: number;
    cursor: string;
    items: { date: string; rows: number; digest: string }[];
  };
}

describe('digests by day', () => {
  it.each([
    ['UTC', ['2026-01-05 4']],
    ['Asia/Singapore', ['2026-01-06 4']],
    ['Asia/Kolkata', ['2026-01-05 2', '2026-01-06 2']],
    ['Asia/Kathmandu', ['2026-01-05 1', '2026-01-06 3']],
    ['America/Los_Angeles', ['2026-01-05 4']],
  ])('are by the days of %s, also where a day begins within an hour', async (timezone, expected) => {
    await area.store([
      ...at('a', '2026-01-05T18:14:59.999Z'),
      ...at('b', '2026-01-05T18:15:00Z'),
      ...at('c', '2026-01-05T18:30:00Z'),
      ...at('d', '2026-01-05T18:45:00Z'),
    ]);
    const { items } = await digests({ ...EVER, timezone });
    expect(items.map(({ date, rows }) => `${date} ${rows}`)).toEqual(expected);
  });

  it.each(['UTC', 'Asia/Singapore', 'America/New_York', 'Asia/Kathmandu'])(
    'count a time beyond the first or the last date in %s to that date',
    async (timezone) => {
      await area.store([...at('first', '0001-01-01T00:00:00Z'), ...at('last', '9999-12-31T23:59:59.999Z')]);
      const { items } = await digests({ startDate: '0001-01-01', endDate: '9999-12-31', timezone });
      expect(items.map(({ date, rows }) => `${date} ${rows}`)).toEqual(['0001-01-01 1', '9999-12-31 1']);
      const { items: ofLast } = await digests({ startDate: '9999-12-31', endDate: '9999-12-31', timezone });
      expect(ofLast).toEqual([items[1]]);
    },
  );

  it('hold the rows of the window only, to the instant', async () => {
    await area.store([
      ...at('before', '2026-01-04T18:29:59.999Z'),
      ...at('first', '2026-01-04T18:30:00Z'),
      ...at('last', '2026-01-06T18:29:59.999Z'),
      ...at('after', '2026-01-06T18:30:00Z'),
    ]);
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
    expect(await digests()).toEqual({ change: 0, cursor: expect.any(String), items: [] });
  });

  it('are counted by rows where a zone is no whole quarters of an hour from UTC, and by dates that clocks show twice', async () => {
    await area.store([
      ...at('a', '1971-06-01T00:44:29.999Z'),
      ...at('b', '1971-06-01T00:44:30Z'),
      ...at('c', '2018-02-18T01:59:59.999Z'),
      ...at('d', '2018-02-18T02:30:00Z'),
      ...at('e', '2018-02-18T03:00:00Z'),
    ]);
    const days = async (timezone: string, startDate: string, endDate: string) =>
      (await digests({ startDate, endDate, timezone })).items.map(({ date, rows }) => `${date} ${rows}`);
    expect(await days('Africa/Monrovia', '1971-05-01', '1971-07-01')).toEqual([
      '1971-05-31 1',
      '1971-06-01 1',
    ]);
    expect(await days('America/Sao_Paulo', '2018-02-01', '2018-03-01')).toEqual([
      '2018-02-17 2',
      '2018-02-18 1',
    ]);
  });

  it('answer the cursor at which a copy that equals them goes on: later changes and removals, and no earlier ones', async () => {
    await area.store([...at('a', '2026-01-05T00:00:00Z'), ...at('b', '2026-01-05T00:00:00Z')]);
    await area.store([removal('conversation', 'a')]);
    const { change, cursor } = await digests();
    expect(await area.changes({ cursor })).toMatchObject({ items: [], change, hasMore: false });
    await area.store([...at('c', '2026-01-05T00:00:00Z'), removal('conversation', 'b')]);
    expect((await area.changes({ cursor })).items.map(({ op, key }) => [op, key!.conversationId])).toEqual([
      ['delete', 'b'],
      ['upsert', 'c'],
    ]);
    const other = await area.service.caller();
    await area.listChanges({ cursor }, other).expect(422);
  });

  it('name the human schedule that business hours are of', async () => {
    const schedule = async () => (await area.listDigests()).headers['x-human-schedule'];
    expect(await schedule()).toBeUndefined();
    const weekly = (weekday: number) =>
      record.schedule({ weekly: [{ weekday, start: '09:00', end: '17:00' }] });
    await area.store([weekly(1)]);
    const first = await schedule();
    await area.store([weekly(1)]);
    expect(await schedule()).toBe(first);
    await area.store([weekly(2)]);
    expect([first, await schedule()]).toEqual([expect.any(String), expect.not.stringMatching(first!)]);
    // Set back, it is the same one.
    await area.store([weekly(1)]);
    expect(await schedule()).toBe(first);
  });

  it('are refused as B1 is', async () => {
    const { body } = await area.listDigests({ startDate: '2026-02-30' }).expect(422);
    expect(body.detail).toHaveLength(2);
    expect((await area.listDigests({ organizationId: 'other' }).expect(403)).body).toEqual(
      ORGANIZATION_MISMATCH,
    );
  });
});
