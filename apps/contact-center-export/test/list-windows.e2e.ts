import { conversationOfAnn } from './builders/platform-records';
import { useContactCenter } from './contact-center-service';

const area = useContactCenter();
beforeEach(() => area.newOrganization());

async function listed(query: Record<string, string>): Promise<unknown[]> {
  const { items, total } = await area.page(query);
  expect(total).toBe(items.length);
  return items.map(({ conversationId }) => conversationId);
}

describe('a window', () => {
  it.each([
    ['the default timezone, Singapore', undefined, '2026-01-05', '2026-01-04T16:00Z', '2026-01-05T16:00Z'],
    ['three quarters of an hour', 'Asia/Kathmandu', '2026-01-05', '2026-01-04T18:15Z', '2026-01-05T18:15Z'],
    ['a day of 23 hours', 'America/New_York', '2026-03-08', '2026-03-08T05:00Z', '2026-03-09T04:00Z'],
    ['the day before a skipped one', 'Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', '2011-12-30T10:00Z'],
  ])('takes updatedAt from 00:00:00.000 to 23:59:59.999, to the millisecond: %s', async (...row) => {
    const [, timezone, day, first, end] = row;
    const at = (instant: string, milliseconds: number) =>
      new Date(Date.parse(instant) + milliseconds).toISOString();
    await area.store([
      ...conversationOfAnn({ id: 'before', updatedAt: at(first, -1) }),
      ...conversationOfAnn({ id: 'first', updatedAt: at(first, 0) }),
      ...conversationOfAnn({ id: 'last', updatedAt: at(end, -1) }),
      ...conversationOfAnn({ id: 'after', updatedAt: at(end, 0) }),
    ]);
    const query = { startDate: day, endDate: day, ...(timezone && { timezone }) };
    expect(await listed(query)).toEqual(['first', 'last']);
    expect(await listed({ ...query, cursor: '' })).toEqual(['first', 'last']);
  });

  it('looks at updatedAt, not at createdAt', async () => {
    await area.store([
      ...conversationOfAnn({
        id: 'updated inside',
        updatedAt: '2026-01-05T03:00:00Z',
        createdAt: '2025-06-01T00:00:00Z',
      }),
      ...conversationOfAnn({
        id: 'created inside',
        updatedAt: '2026-01-06T03:00:00Z',
        createdAt: '2026-01-05T03:00:00Z',
      }),
    ]);
    expect(await listed({ startDate: '2026-01-05', endDate: '2026-01-05' })).toEqual(['updated inside']);
  });

  it('of all days that there are holds everything', async () => {
    await area.store([
      ...conversationOfAnn({ id: 'first', updatedAt: '0001-01-01T00:00:00Z' }),
      ...conversationOfAnn({ id: 'last', updatedAt: '9999-12-31T23:59:59.999Z' }),
    ]);
    const everyDay = { startDate: '0001-01-01', endDate: '9999-12-31' };
    for (const timezone of ['UTC', 'Asia/Singapore', 'America/New_York']) {
      expect(await listed({ ...everyDay, timezone })).toEqual(['first', 'last']);
      expect(await listed({ ...everyDay, timezone, cursor: '' })).toEqual(['first', 'last']);
      const [first, last] = ['0001-01-01', '9999-12-31'];
      expect(await listed({ startDate: first, endDate: first, timezone })).toEqual(['first']);
      expect(await listed({ startDate: last, endDate: last, timezone })).toEqual(['last']);
      expect(await listed({ startDate: '0001-01-02', endDate: '9999-12-30', timezone })).toEqual([]);
    }
  });
});
