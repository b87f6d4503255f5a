import type { Caller, TestService } from '@cxp/service-kit/testing';
import type { AnsweredRow } from './contract-fields';
import { record } from './builders/platform-records';
import { EVER, importRecords, listSessions, startContactCenter } from './contact-center-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
  caller = await service.caller();
});
afterAll(() => service.stop());

const ann = { accountId: 1, email: 'ann@example.com' };
const bob = { accountId: 2, email: 'bob@example.com' };

async function pageOf(query: Record<string, string | number>, asking = caller) {
  const { body } = await listSessions(service, asking, { ...EVER, ...query }).expect(200);
  const { items, ...rest } = body as { items: AnsweredRow[] };
  return { ...rest, items: items.map(nameOf) };
}

function nameOf({ conversationId, sessionIndex, ticketId }: AnsweredRow): string {
  return [conversationId, sessionIndex, ticketId].map((part) => (part as string) ?? '-').join(' ');
}

describe('rows', () => {
  beforeAll(async () => {
    const noon = '2026-01-05T12:00:00.000Z';
    const sessions = (conversationId: string) => [
      record.activity({ id: `${conversationId} 1`, conversationId, agent: ann }),
      record.activity({
        id: `${conversationId} 2`,
        conversationId,
        agent: bob,
        occurredAt: '2026-01-05T00:30:00Z',
      }),
    ];
    await importRecords(service, caller, [
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
    ]).expect(200);
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
    const [other, none] = [await service.caller(), await service.caller()];
    await importRecords(service, other, [
      record.conversation({ id: 'ten', updatedAt: '2026-01-05T12:00:00Z', customer: { name: 'Other' } }),
      record.activity({ id: 'ten 1', conversationId: 'ten', agent: ann }),
      record.ticket({ id: 4, conversationId: 'zero', assigneeAccountId: 1, subject: 'Other' }),
    ]).expect(200);
    const filters: Record<string, string>[] = [
      {},
      { sessionAgentEmails: ann.email },
      { assigneeAccountIds: '1' },
      { sessionEndReasons: 'open_at_end' },
      { cursor: '' },
    ];
    for (const filter of filters) {
      expect(await pageOf(filter, other)).toMatchObject({ total: 1, items: ['ten 0 -'] });
      expect(await pageOf(filter, none)).toMatchObject({ total: 0, items: [] });
    }
    expect((await pageOf({})).items).toEqual(ALL);
    const { body } = await listSessions(service, caller, EVER);
    expect(JSON.stringify(body)).not.toContain('Other');
  });
});

it('a conversation that changes moves to the end, and its old rows are gone', async () => {
  const caller = await service.caller();
  const session = (id: string) => record.activity({ id: `of ${id}`, conversationId: id, agent: ann });
  const conversation = (id: string, minute: number) =>
    record.conversation({ id, updatedAt: `2026-01-05T01:0${minute}:00Z` });
  await importRecords(service, caller, [
    ...['a', 'b', 'c'].flatMap((id, minute) => [conversation(id, minute), session(id)]),
  ]).expect(200);
  await importRecords(service, caller, [conversation('a', 5)]).expect(200);
  expect(await pageOf({}, caller)).toMatchObject({ items: ['b 0 -', 'c 0 -', 'a 0 -'], total: 3 });
  await importRecords(service, caller, [
    { ...session('b'), data: { ...(session('b').data as object), action: 'x' } },
  ]).expect(200);
  expect(await pageOf({}, caller)).toMatchObject({ items: ['c 0 -', 'a 0 -'], total: 2 });
});
