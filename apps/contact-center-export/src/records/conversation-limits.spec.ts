import { ProblemError } from '@cxp/error-envelopes';
import type { ReceivedRecord } from '@cxp/records';
import { record, removal } from '../../test/builders/platform-records';
import { useContactCenterDatabase } from '../../test/contact-center-database';

const MOST = 10_000;
const MSG = 'conversation c must have at most 10,000 records with 4 MiB of text';
const REPEATED = 'conversation c must have rows that repeat at most 16 MiB of text';

describe('the records of one conversation', () => {
  const database = useContactCenterDatabase();

  describe('are at most 10,000, whatever they are', () => {
    let organizationId: string;

    beforeAll(async () => {
      organizationId = database.newOrganization();
      await database.store(organizationId, [
        ...times(4_000, (place) => record.activity({ id: `a-${place}`, conversationId: 'c' })),
        ...times(4_000, (place) => record.message({ id: `m-${place}`, conversationId: 'c' })),
        ...times(1_000, (place) => record.ticket({ id: place, conversationId: 'c' })),
        ...times(1_000, (place) => record.survey({ id: `s-${place}`, conversationId: 'c' })),
        record.ticket({ id: 5_000, conversationId: 'other' }),
      ]);
    });

    it.each<[string, () => ReceivedRecord]>([
      ['an activity', () => record.activity({ id: 'more', conversationId: 'c' })],
      ["an agent's message", () => record.message({ id: 'more', conversationId: 'c' })],
      ['a ticket', () => record.ticket({ id: 6_000, conversationId: 'c' })],
      ['a survey', () => record.survey({ id: 'more', conversationId: 'c' })],
      ['a ticket of another conversation', () => record.ticket({ id: 5_000, conversationId: 'c' })],
    ])('%s more is refused, and nothing is stored', async (_, more) => {
      const before = await counts(organizationId);
      const others = [
        record.message({ id: 'other', conversationId: 'other' }),
        record.conversation({ id: 'c' }),
      ];
      expect(await problemsOf(organizationId, [...others, more()])).toEqual([
        { loc: ['body', 3, 'data', 'conversationId'], msg: MSG, type: 'too_large' },
      ]);
      expect(await counts(organizationId)).toEqual(before);
    });

    it('those that no row shows are accepted and not kept', async () => {
      const before = await counts(organizationId);
      await database.store(organizationId, [
        record.activity({ id: 'more', conversationId: 'c', action: 'note_added' }),
        record.message({ id: 'more', conversationId: 'c', senderType: 'customer' }),
      ]);
      expect(await counts(organizationId)).toEqual(before);
    });

    it('those that are there may be sent again, and others may come where some are removed', async () => {
      await database.store(organizationId, [record.message({ id: 'm-1', conversationId: 'c' })]);
      await database.store(organizationId, [
        removal('message', 'm-2'),
        record.activity({ id: 'instead', conversationId: 'c' }),
      ]);
      expect(
        await problemsOf(organizationId, [record.survey({ id: 'more', conversationId: 'c' })]),
      ).toHaveLength(1);
    });

    it('of two that come at once one is refused', async () => {
      await database.store(organizationId, [removal('message', 'm-3')]);
      const outcomes = await Promise.allSettled(
        ['x', 'y'].map((id) =>
          database.store(organizationId, [record.activity({ id, conversationId: 'c' })]),
        ),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });
  });

  it('the first line that passes the limit is reported, however many there are', async () => {
    const lines = times(MOST + 100, (place) => record.message({ id: `m-${place}`, conversationId: 'c' }));
    const [first] = await problemsOf(database.newOrganization(), lines);
    expect(first).toEqual({ loc: ['body', MOST + 1, 'data', 'conversationId'], msg: MSG, type: 'too_large' });
  });

  it.each([
    ['Latin', 'x'.repeat(60_000)],
    ['Vietnamese', 'ế'.repeat(20_000)],
  ])('have at most 4 MiB of text: %s', async (_, description) => {
    const organizationId = database.newOrganization();
    const ticket = (id: number) => record.ticket({ id, conversationId: 'c', description });
    await database.store(organizationId, [record.conversation({ id: 'c' }), ...times(66, ticket)]);
    const added = [...times(6, (n) => ticket(100 + n)), record.message({ id: 'm', conversationId: 'c' })];
    // The message, which is counted as a record, and as many tickets as have to be left out.
    const lines = (await problemsOf(organizationId, added)).map(({ loc }) => loc[1]);
    expect(lines).toEqual([4, 5, 6, 7]);
    await database.store(organizationId, [record.message({ id: 'm', conversationId: 'c' })]);
  });

  it('have rows that do not repeat more than 16 MiB of text', async () => {
    const organizationId = database.newOrganization();
    await database.store(
      organizationId,
      times(200, (place) =>
        record.activity({ id: `a-${place}`, conversationId: 'c', agent: { accountId: place % 2 } }),
      ),
    );
    const conversations = [
      record.conversation({ id: 'before' }),
      record.conversation({ id: 'c', customer: { name: 'x'.repeat(100 * 1024) } }),
      record.conversation({ id: 'after' }),
    ];
    expect(await problemsOf(organizationId, conversations)).toEqual([
      { loc: ['body', 2, 'data', 'id'], msg: REPEATED, type: 'too_large' },
    ]);
  });

  it('a removal is not refused because of what rows then repeat', async () => {
    const organizationId = database.newOrganization();
    const assign = (id: string, accountId: number, minute: number, nameBytes: number) =>
      record.activity({
        id,
        conversationId: 'c',
        occurredAt: `2026-01-05T00:0${minute}:00Z`,
        agent: { accountId, name: 'x'.repeat(nameBytes) },
      });
    const tickets = times(200, (id) =>
      record.ticket({ id, conversationId: 'c', assigneeAccountId: 1, assignedAt: '2026-01-05T00:01:00Z' }),
    );
    await database.store(organizationId, [
      record.conversation({ id: 'c' }),
      record.activity({ id: 'other', conversationId: 'other' }),
      ...tickets,
      assign('long', 1, 0, 100 * 1024),
      assign('other agent', 2, 1, 0),
      assign('short', 1, 1, 0),
    ]);
    await database.store(organizationId, [removal('activity', 'short'), removal('activity', 'other')]);
    const repeated = await database.dataSource.query(
      `SELECT count(*)::integer AS rows FROM contact_center.conversation_session
       WHERE organization_id = $1 AND conversation_id = 'c' AND session_index = 0`,
      [organizationId],
    );
    expect(repeated).toEqual([{ rows: 200 }]);
    // What is added then is refused, and further removals are not.
    const more = record.ticket({
      ...{ id: 300, conversationId: 'c', assigneeAccountId: 1 },
      assignedAt: '2026-01-05T00:01:00Z',
    });
    expect(await problemsOf(organizationId, [more])).toMatchObject([{ msg: REPEATED }]);
    await database.store(organizationId, [removal('ticket', 1)]);
  });

  async function problemsOf(organizationId: string, records: readonly ReceivedRecord[]) {
    const numbered = records.map((each, place) => ({ ...each, line: place + 1 }));
    const error: unknown = await database.store(organizationId, numbered).catch((thrown: unknown) => thrown);
    if (!(error instanceof ProblemError)) throw new Error(`not refused: ${String(error)}`);
    return error.problem.code === 'invalid' ? error.problem.items : [];
  }

  async function counts(organizationId: string): Promise<unknown> {
    return database.dataSource.query(
      'SELECT type, count(*) FROM contact_center.record WHERE organization_id = $1 GROUP BY type ORDER BY type',
      [organizationId],
    );
  }
});

function times<Item>(count: number, item: (place: number) => Item): Item[] {
  return Array.from({ length: count }, (_, place) => item(place));
}
