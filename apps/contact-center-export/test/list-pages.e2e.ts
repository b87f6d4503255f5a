import type { AnsweredRow } from './contract-fields';
import { ANN, BOB, conversationOfAnn, record } from './builders/platform-records';
import { useContactCenter } from './contact-center-service';

const area = useContactCenter();

async function pageOf(query: Record<string, string | number>, by = area.caller) {
  const { items, ...rest } = await area.page(query, by);
  return { ...rest, items: items.map(nameOf) };
}

function nameOf({ conversationId, sessionIndex, ticketId }: AnsweredRow): string {
  return [conversationId, sessionIndex, ticketId].map((part) => (part as string) ?? '-').join(' ');
}

describe('rows', () => {
  beforeAll(async () => {
    const noon = '2026-01-05T12:00:00.000Z';
    const sessions = (conversationId: string) => [
      record.activity({ id: `${conversationId} 1`, conversationId, agent: ANN }),
      record.activity({
        ...{ id: `${conversationId} 2`, conversationId, agent: BOB },
        occurredAt: '2026-01-05T00:30:00Z',
      }),
    ];
    await area.store([
      record.conversation({ id: 'ten', updatedAt: noon }),
      record.conversation({ id: 'Nine', updatedAt: noon }),
      record.conversation({ id: 'é', updatedAt: noon }),
      record.conversation({ id: 'zero', updatedAt: '2026-01-05T11:59:59.999Z' }),
      record.conversation({ id: 'a', updatedAt: '2026-01-05T12:00:00.001Z' }),
      ...['ten', 'Nine', 'é', 'zero', 'a'].flatMap(sessions),
      // Ten's: two in Ann's session, one in Bob's, two in none.
      ...[
        [30, 1],
        [4, 1],
        [100, 2],
        [2, 99],
        [1, null],
      ].map(([id, assigneeAccountId]) =>
        record.ticket({
          id: id!,
          conversationId: 'ten',
          assigneeAccountId,
          createdAt: assigneeAccountId === 2 ? '2026-01-05T00:31:00Z' : '2026-01-05T00:20:00Z',
        }),
      ),
    ]);
  });

  const ALL = [
    'zero 0 -',
    'zero 1 -',
    'Nine 0 -',
    'Nine 1 -',
    'ten 0 4',
    'ten 0 30',
    'ten 1 100',
    'ten - 1',
    'ten - 2',
    'é 0 -',
    'é 1 -',
    'a 0 -',
    'a 1 -',
  ];

  it('come by updatedAt, conversationId by code point, sessionIndex (tickets alone last), ticketId', async () => {
    expect(await pageOf({})).toEqual({ items: ALL, total: 13, page: 1, perPage: 50, pages: 1 });
  });

  it.each([1, 2, 3, 5, 7, 12, 13, 14, 100])('come in pages of %i, one after the other', async (perPage) => {
    const pages = Math.ceil(13 / perPage);
    const all: string[] = [];
    for (let page = 1; page <= pages; page++) {
      const { items, ...rest } = await pageOf({ perPage, page });
      expect(rest).toEqual({ total: 13, page, perPage, pages });
      expect(items).toHaveLength(page < pages ? perPage : 13 - perPage * (pages - 1));
      all.push(...items);
    }
    expect(all).toEqual(ALL);
  });

  it.each([
    ['the page after the last', { page: 2 }, { page: 2, perPage: 50, pages: 1 }],
    [
      'one far past the end',
      { page: 1_000_000_000_000, perPage: 100 },
      { page: 1e12, perPage: 100, pages: 1 },
    ],
    ['one past the end by a row', { page: 14, perPage: 1 }, { page: 14, perPage: 1, pages: 13 }],
  ])('there are none on %s, and the totals are true', async (_, query, expected) => {
    expect(await pageOf(query)).toEqual({ items: [], total: 13, ...expected });
  });

  it('there are none, on 0 pages, in a window without any', async () => {
    const answer = await pageOf({ startDate: '2020-01-01', endDate: '2020-12-31' });
    expect(answer).toEqual({ items: [], total: 0, page: 1, perPage: 50, pages: 0 });
  });

  it('of other organizations are never among them, with the same ids or not', async () => {
    const [other, none] = [await area.service.caller(), await area.service.caller()];
    await area.store(
      [
        record.conversation({ id: 'ten', updatedAt: '2026-01-05T12:00:00Z', customer: { name: 'Other' } }),
        record.activity({ id: 'ten 1', conversationId: 'ten', agent: ANN }),
        record.ticket({ id: 4, conversationId: 'zero', assigneeAccountId: 1, subject: 'Other' }),
      ],
      other,
    );
    const filters: Record<string, string>[] = [
      {},
      { sessionAgentEmails: ANN.email },
      { assigneeAccountIds: '1' },
      { sessionEndReasons: 'open_at_end' },
      { cursor: '' },
    ];
    for (const filter of filters) {
      expect(await pageOf(filter, other)).toMatchObject({ total: 1, items: ['ten 0 -'] });
      expect(await pageOf(filter, none)).toMatchObject({ total: 0, items: [] });
    }
    expect((await pageOf({})).items).toEqual(ALL);
    expect(JSON.stringify(await area.page())).not.toContain('Other');
  });
});

it('a conversation that changes moves to the end, and its old rows are gone', async () => {
  await area.newOrganization();
  const conversation = (id: string, minute: number) =>
    conversationOfAnn({ id, updatedAt: `2026-01-05T01:0${minute}:00Z` });
  await area.store(['a', 'b', 'c'].flatMap(conversation));
  await area.store(conversation('a', 5));
  expect(await pageOf({})).toMatchObject({ items: ['b 0 -', 'c 0 -', 'a 0 -'], total: 3 });
  await area.store([record.activity({ id: 'of b', conversationId: 'b', action: 'x' })]);
  expect(await pageOf({})).toMatchObject({ items: ['c 0 -', 'a 0 -'], total: 2 });
});
