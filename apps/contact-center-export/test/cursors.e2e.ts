import fc from 'fast-check';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { runs } from '@cxp/testing';
import type { AnsweredRow } from './contract-fields';
import { record } from './builders/platform-records';
import { listChanges } from './change-follower';
import { EVER, importRecords, listSessions, startContactCenter } from './contact-center-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

const START = Date.parse('2026-01-05T00:00:00Z');

/** A conversation with rows of two sessions, updated so many milliseconds into the test's day. */
function conversation(id: string, updatedAt: number) {
  return [
    record.conversation({ id, updatedAt: new Date(START + updatedAt).toISOString() }),
    record.activity({ id: `${id} 1`, conversationId: id, agent: { accountId: 1, email: 'ann@example.com' } }),
    record.activity({
      id: `${id} 2`,
      conversationId: id,
      occurredAt: '2026-01-05T00:30:00Z',
      agent: { accountId: 2, email: 'bob@example.com' },
    }),
  ];
}

async function store(...records: object[]): Promise<void> {
  await importRecords(service, caller, records).expect(200);
}

async function page(query: Record<string, string | number>) {
  const { body } = await listSessions(service, caller, { ...EVER, ...query }).expect(200);
  return body as { items: AnsweredRow[]; total: number; pages: number; nextCursor?: string | null };
}

async function stream(query: Record<string, string> = {}): Promise<(AnsweredRow & { cursor: string })[]> {
  const { text } = await listSessions(service, caller, { ...EVER, ...query })
    .set('accept', 'application/x-ndjson')
    .buffer(true)
    .expect(200);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AnsweredRow & { cursor: string });
}

describe('cursor=', () => {
  it('continues after the row of the cursor, in pages and in streams alike', async () => {
    await store(...['a', 'b', 'c'].flatMap((id) => conversation(id, 0)));
    const all = await stream();
    expect(all).toHaveLength(6);
    for (const [index, { cursor }] of all.entries()) {
      const rest = all.slice(index + 1);
      expect(await stream({ cursor })).toEqual(rest);
      const { items, nextCursor, ...totals } = await page({ cursor, perPage: 2 });
      expect(items).toEqual(rest.slice(0, 2).map(({ cursor: _, ...row }) => row));
      expect(nextCursor).toBe(rest.slice(0, 2).at(-1)?.cursor ?? null);
      expect(totals).toEqual({ total: 6, page: 1, perPage: 2, pages: 3 });
    }
  });

  it('is only answered to who asks for it: the default answer stays as the contract has it', async () => {
    await store(...conversation('a', 0));
    expect(Object.keys(await page({})).sort()).toEqual(['items', 'page', 'pages', 'perPage', 'total']);
    expect(await page({ cursor: '' })).toHaveProperty('nextCursor', expect.any(String));
  });

  it('works with filters, and with a cursor of a row that is gone or filtered out', async () => {
    await store(...['a', 'b', 'c'].flatMap((id, index) => conversation(id, index)));
    const bobs = { sessionAgentEmails: 'bob@example.com' };
    const [first] = await stream();
    expect(namesOf(await stream({ ...bobs, cursor: first!.cursor }))).toEqual(['a 1', 'b 1', 'c 1']);
    await store(...conversation('a', 10));
    expect(namesOf(await stream({ cursor: first!.cursor }))).toEqual([
      'b 0',
      'b 1',
      'c 0',
      'c 1',
      'a 0',
      'a 1',
    ]);
    expect(namesOf((await page({ ...bobs, cursor: first!.cursor })).items)).toEqual(['b 1', 'c 1', 'a 1']);
  });

  it("of another organization's row reveals nothing of it", async () => {
    await store(...['a', 'b'].flatMap((id) => conversation(id, 0)));
    const [first] = await stream();
    caller = await service.caller();
    expect(await stream({ cursor: first!.cursor })).toEqual([]);
    await store(...conversation('b', 0));
    expect(namesOf(await stream({ cursor: first!.cursor }))).toEqual(['b 0', 'b 1']);
  });

  it.each<[string, unknown]>([
    ['no array', { updatedAt: 1 }],
    ['too few parts', [1, 'a', 0]],
    ['too many parts', [1, 'a', 0, '0', 0]],
    ['a time that is none', ['1', 'a', 0, '0']],
    ['a time beyond every date', [1e18, 'a', 0, '0']],
    ['a time between milliseconds', [0.5, 'a', 0, '0']],
    ['an id that is no text', [1, 2, 0, '0']],
    ['an id with a NUL', [1, 'a\0', 0, '0']],
    ['an id that is not Unicode', [1, '\ud800', 0, '0']],
    ['a session index beyond 32 bits', [1, 'a', 2 ** 31, '0']],
    ['a ticket id beyond 64 bits', [1, 'a', 0, '9223372036854775808']],
    ['a ticket id that is no integer', [1, 'a', 0, '1.5']],
  ])('that was tampered with is 422: %s', async (_, forged) => {
    const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
    for (const accept of ['application/json', 'text/csv']) {
      const { body } = await listSessions(service, caller, { ...EVER, cursor }).set('accept', accept);
      expect(body.detail).toMatchObject([{ loc: ['query', 'cursor'] }]);
    }
  });

  it('of the changes is a 422 here, and one of a row is one there', async () => {
    await store(...conversation('a', 0));
    const [row] = await stream();
    const { body: changes } = await listChanges(service, caller).expect(200);
    for (const { body } of [
      await listSessions(service, caller, { ...EVER, cursor: changes.nextCursor }).expect(422),
      await listChanges(service, caller, { cursor: row!.cursor }).expect(422),
    ])
      expect(body.detail).toMatchObject([{ loc: ['query', 'cursor'] }]);
  });

  it('loses and repeats nothing while conversations change between the pages', async () => {
    const changes = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 1, max: 4 }), async (changesBetweenPages, perPage) => {
        caller = await service.caller();
        let clock = 0;
        await store(...['a', 'b', 'c'].flatMap((id) => conversation(id, clock)));
        const seen: string[] = [];
        let cursor = '';
        const readPage = async () => {
          const { items, nextCursor } = await page({ cursor, perPage });
          seen.push(...items.map(versionOf));
          cursor = nextCursor ?? cursor;
          return items.length;
        };
        for (const changed of changesBetweenPages) {
          await readPage();
          for (const id of changed) await store(...changedConversation(id, ++clock));
        }
        while ((await readPage()) > 0);

        expect(new Set(seen).size).toBe(seen.length);
        const now = await page({ perPage: 100 });
        expect(seen).toEqual(expect.arrayContaining(now.items.map(versionOf)));
      }),
      { numRuns: runs(3) },
    );
  });
});

/** The conversation with a name that no other change of it has. */
function changedConversation(id: string, clock: number) {
  const [changed, ...activities] = conversation(id, clock);
  const named = { ...(changed!.data as object), customer: { name: `change ${clock}` } };
  return [{ ...changed, data: named }, ...activities];
}

function versionOf({ conversationId, sessionIndex, customerName }: AnsweredRow): string {
  return [conversationId, sessionIndex, customerName].join(' ');
}

function namesOf(rows: AnsweredRow[]): string[] {
  return rows.map(({ conversationId, sessionIndex }) => [conversationId, sessionIndex].join(' '));
}
