import fc from 'fast-check';
import { runs } from '@cxp/testing';
import type { AnsweredRow } from './contract-fields';
import { ANN, BOB, record } from './builders/platform-records';
import { useContactCenter } from './contact-center-service';

const area = useContactCenter();
beforeEach(() => area.newOrganization());

const TIME = '2026-01-05T00:00:00Z';
const START = Date.parse(TIME);

/** A conversation with rows of two sessions, updated so many milliseconds into the test's day. */
function conversation(id: string, updatedAt: number) {
  return [
    record.conversation({ id, updatedAt: new Date(START + updatedAt).toISOString() }),
    record.activity({ id: `${id} 1`, conversationId: id, agent: ANN }),
    record.activity({
      ...{ id: `${id} 2`, conversationId: id, agent: BOB },
      occurredAt: '2026-01-05T00:30:00Z',
    }),
  ];
}

describe('cursor=', () => {
  it('continues after the row of the cursor, in pages and in streams alike', async () => {
    await area.store(['a', 'b', 'c'].flatMap((id) => conversation(id, 0)));
    const all = await area.stream();
    expect(all).toHaveLength(6);
    for (const [index, { cursor }] of all.entries()) {
      const rest = all.slice(index + 1);
      expect(await area.stream({ cursor })).toEqual(rest);
      const { items, nextCursor, ...totals } = await area.page({ cursor, perPage: 2 });
      expect(items).toEqual(rest.slice(0, 2).map(({ cursor: _, ...row }) => row));
      expect(nextCursor).toBe(rest.slice(0, 2).at(-1)?.cursor ?? null);
      expect(totals).toEqual({ total: 6, page: 1, perPage: 2, pages: 3 });
    }
  });

  it('is only answered to who asks for it: the default answer stays as the contract has it', async () => {
    await area.store(conversation('a', 0));
    expect(Object.keys(await area.page({})).sort()).toEqual(['items', 'page', 'pages', 'perPage', 'total']);
    expect(await area.page({ cursor: '' })).toHaveProperty('nextCursor', expect.any(String));
  });

  it('works with filters, and with a cursor of a row that is gone or filtered out', async () => {
    await area.store(['a', 'b', 'c'].flatMap((id, index) => conversation(id, index)));
    const bobs = { sessionAgentEmails: 'bob@example.com' };
    const [first] = await area.stream();
    expect(namesOf(await area.stream({ ...bobs, cursor: first!.cursor }))).toEqual(['a 1', 'b 1', 'c 1']);
    await area.store(conversation('a', 10));
    expect(namesOf(await area.stream({ cursor: first!.cursor }))).toEqual([
      'b 0',
      'b 1',
      'c 0',
      'c 1',
      'a 0',
      'a 1',
    ]);
    expect(namesOf((await area.page({ ...bobs, cursor: first!.cursor })).items)).toEqual([
      'b 1',
      'c 1',
      'a 1',
    ]);
  });

  it("of another organization's row reveals nothing of it", async () => {
    await area.store(['a', 'b'].flatMap((id) => conversation(id, 0)));
    const [first] = await area.stream();
    await area.newOrganization();
    expect(await area.stream({ cursor: first!.cursor })).toEqual([]);
    await area.store(conversation('b', 0));
    expect(namesOf(await area.stream({ cursor: first!.cursor }))).toEqual(['b 0', 'b 1']);
  });

  it.each<[string, unknown]>([
    ['no array', { updatedAt: TIME }],
    ['too few parts', [TIME, 'a', 0]],
    ['too many parts', [TIME, 'a', 0, '0', 0]],
    ['a time that is no text', [1, 'a', 0, '0']],
    ['a time that is none', ['1', 'a', 0, '0']],
    ['a time beyond every date', ['10000-01-01T00:00:00Z', 'a', 0, '0']],
    ['an id that is no text', [TIME, 2, 0, '0']],
    ['an id with a NUL', [TIME, 'a\0', 0, '0']],
    ['an id that is not Unicode', [TIME, '\ud800', 0, '0']],
    ['a session index beyond 32 bits', [TIME, 'a', 2 ** 31, '0']],
    ['a ticket id beyond 64 bits', [TIME, 'a', 0, '9223372036854775808']],
    ['a ticket id that is no integer', [TIME, 'a', 0, '1.5']],
  ])('that was tampered with is 422: %s', async (_, forged) => {
    const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
    for (const accept of ['application/json', 'text/csv']) {
      const { body } = await area.list({ cursor }).set('accept', accept);
      expect(body.detail).toMatchObject([{ loc: ['query', 'cursor'] }]);
    }
  });

  it('of the changes is a 422 here, and one of a row is one there', async () => {
    await area.store(conversation('a', 0));
    const [row] = await area.stream();
    const { body: changes } = await area.listChanges().expect(200);
    for (const { body } of [
      await area.list({ cursor: changes.nextCursor }).expect(422),
      await area.listChanges({ cursor: row!.cursor }).expect(422),
    ])
      expect(body.detail).toMatchObject([{ loc: ['query', 'cursor'] }]);
  });

  it('loses and repeats nothing while conversations change between the pages', async () => {
    const changes = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(changes, fc.integer({ min: 1, max: 4 }), async (changesBetweenPages, perPage) => {
        await area.newOrganization();
        let clock = 0;
        await area.store(['a', 'b', 'c'].flatMap((id) => conversation(id, clock)));
        const seen: string[] = [];
        let cursor = '';
        const readPage = async () => {
          const { items, nextCursor } = await area.page({ cursor, perPage });
          seen.push(...items.map(versionOf));
          cursor = nextCursor ?? cursor;
          return items.length;
        };
        for (const changed of changesBetweenPages) {
          await readPage();
          for (const id of changed) await area.store(changedConversation(id, ++clock));
        }
        while ((await readPage()) > 0);

        expect(new Set(seen).size).toBe(seen.length);
        const now = await area.page({ perPage: 100 });
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
