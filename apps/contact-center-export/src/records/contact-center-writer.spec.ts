import fc from 'fast-check';
import type { ReceivedRecord } from '@cxp/records';
import { runs } from '@cxp/testing';
import { ANN, BOB, conversationOfAnn, record, removal } from '../../test/builders/platform-records';
import { useContactCenterDatabase } from '../../test/contact-center-database';
import type { ConversationSessionRow } from '../derivation';

describe('records of conversations', () => {
  const database = useContactCenterDatabase();

  it('give the same rows and buckets, whatever the order, split and repetition in which they come, some at once', async () => {
    const expected = await resultOf([manyRecords()]);
    expect(expected.rows).toHaveLength(12);
    await fc.assert(
      fc.asyncProperty(inAnyManner(manyRecords()), async (transactions) => {
        const organizationId = database.newOrganization();
        await Promise.all(transactions.map((records) => database.store(organizationId, records)));
        expect(await storedIn(organizationId)).toEqual(expected);
      }),
      { numRuns: runs(5) },
    );
  });

  describe('upserts by key', () => {
    it('an activity that is sent again keeps the place of its first arrival', async () => {
      const at = { conversationId: 'c', occurredAt: '2026-01-05T00:10:00Z' };
      const first = record.activity({ ...at, id: 'first', agent: ANN });
      const second = record.activity({ ...at, id: 'second', agent: BOB });
      for (const transactions of [[[first, second, first]], [[first], [second], [first]]]) {
        const organizationId = database.newOrganization();
        await storeAll(organizationId, [[record.conversation({ id: 'c' })], ...transactions]);
        expect(await rowsOf(organizationId)).toMatchObject([
          { sessionAgentEmail: ANN.email },
          { sessionAgentEmail: BOB.email },
        ]);
      }
    });

    it('a survey that is sent again keeps the place of its first arrival', async () => {
      const at = { conversationId: 'c', submittedAt: '2026-01-05T00:30:00Z' };
      const [first, second] = [1, 5].map((rating) => record.survey({ ...at, id: `s-${rating}`, rating }));
      const organizationId = database.newOrganization();
      await storeAll(organizationId, [conversationOfAnn({ id: 'c' }), [first!], [second!], [first!]]);
      expect(await rowsOf(organizationId)).toMatchObject([{ rating: 5 }]);
    });

    it.each<[string, ReceivedRecord[]]>([
      ['removed', [removal('activity', 'a')]],
      ['moved', [record.activity({ id: 'a', conversationId: 'other' })]],
    ])(
      'nothing is left of a conversation that has not arrived, once its last record is %s',
      async (_, last) => {
        const organizationId = database.newOrganization();
        await storeAll(organizationId, [[record.activity({ id: 'a', conversationId: 'awaited' })], last]);
        expect(await keysOf(organizationId, 'awaited')).toEqual([]);
        // A removal with a time is kept.
        await storeAll(organizationId, [
          [removal('conversation', 'awaited', { updatedAt: '2026-01-06T00:00:00Z' })],
          [record.activity({ id: 'b', conversationId: 'awaited' })],
          [removal('activity', 'b')],
        ]);
        expect(await keysOf(organizationId, 'awaited')).toEqual([
          { type: 'conversation', conversationId: null },
        ]);
      },
    );

    async function keysOf(organizationId: string, id: string): Promise<unknown> {
      return database.dataSource.query(
        'SELECT type, conversation_id AS "conversationId" FROM contact_center.record WHERE organization_id = $1 AND id = $2',
        [organizationId, id],
      );
    }

    it('a record replaces the stored one whole: what is left out is null or blank', async () => {
      const organizationId = database.newOrganization();
      await storeAll(organizationId, [
        [
          record.conversation({
            id: 'c',
            closedAt: '2026-01-05T03:00:00Z',
            customer: { name: 'Chi', email: 'chi@x' },
          }),
          record.ticket({ id: 1, conversationId: 'c', subject: 'Refund', customFields: { a: 'b' } }),
        ],
        [record.conversation({ id: 'c' }), record.ticket({ id: 1, conversationId: 'c' })],
      ]);
      expect(await rowsOf(organizationId)).toMatchObject([
        {
          conversationClosedAt: null,
          customerName: '',
          customerEmail: '',
          ticketSubject: '',
          customFields: {},
        },
      ]);
    });
  });

  it('a record that no row shows removes what is stored under its key; the place of an activity is that of its first kept arrival', async () => {
    const organizationId = database.newOrganization();
    const message = { id: 'm', conversationId: 'c' };
    const activity = { id: 'a', conversationId: 'c' };
    await storeAll(organizationId, [
      [
        record.conversation({ id: 'c' }),
        record.activity({ ...activity, agent: ANN }),
        record.message(message),
      ],
      [record.message({ ...message, senderType: 'bot' })],
    ]);
    expect(await rowsOf(organizationId)).toMatchObject([{ lastAgentMessageAt: null }]);
    await database.store(organizationId, [record.activity({ ...activity, action: 'note_added' })]);
    expect(await rowsOf(organizationId)).toEqual([]);

    const together = database.newOrganization();
    await storeAll(together, [
      [record.conversation({ id: 'c' }), record.activity({ ...activity, action: 'note_added' })],
      [record.activity({ ...activity, id: 'b', agent: BOB }), record.activity({ ...activity, agent: ANN })],
    ]);
    expect(await rowsOf(together)).toMatchObject([{ sessionAgentName: 'Bob' }, { sessionAgentName: 'Ann' }]);
  });

  it.each<[string, ReceivedRecord[], Partial<ConversationSessionRow>[]]>([
    [
      'an activity that was not kept in between arrives anew when it is kept again',
      [
        record.activity({ id: 'a', conversationId: 'c', agent: ANN }),
        record.activity({ id: 'b', conversationId: 'c', agent: BOB }),
        record.activity({ id: 'a', conversationId: 'c', action: 'note_added' }),
        record.activity({ id: 'a', conversationId: 'c', agent: ANN }),
      ],
      [{ sessionAgentName: 'Bob' }, { sessionAgentName: 'Ann' }],
    ],
    [
      'an activity that belonged to an erased conversation in between arrives anew',
      [
        record.activity({ id: 'a', conversationId: 'c', agent: ANN }),
        record.activity({ id: 'b', conversationId: 'c', agent: BOB }),
        record.activity({ id: 'a', conversationId: 'erased', agent: ANN }),
        record.activity({ id: 'a', conversationId: 'c', agent: ANN }),
      ],
      [{ sessionAgentName: 'Bob' }, { sessionAgentName: 'Ann' }],
    ],
    [
      'a survey that belonged to an erased conversation does not make an older one late',
      [
        record.activity({ id: 'a', conversationId: 'c', agent: ANN }),
        record.survey({ id: 's', conversationId: 'erased', submittedAt: '2026-01-06T00:00:00Z' }),
        record.survey({ id: 's', conversationId: 'c', submittedAt: '2026-01-05T23:00:00Z' }),
      ],
      [{ submittedAt: '2026-01-05T23:00:00.000Z' }],
    ],
  ])('in one transaction as one after the other: %s', async (_, records, expected) => {
    const start = [record.conversation({ id: 'c' }), removal('conversation', 'erased', { reason: 'erased' })];
    const ways = [[[...start, ...records]], [start, ...records.map((each) => [each])]];
    for (const transactions of ways) {
      expect((await resultOf(transactions)).rows).toMatchObject(expected);
    }
  });

  async function storeAll(organizationId: string, transactions: readonly (readonly ReceivedRecord[])[]) {
    for (const records of transactions) await database.store(organizationId, records);
  }

  async function resultOf(transactions: readonly (readonly ReceivedRecord[])[]) {
    const organizationId = database.newOrganization();
    await storeAll(organizationId, transactions);
    return storedIn(organizationId);
  }

  async function storedIn(organizationId: string) {
    return { rows: await rowsOf(organizationId), buckets: await bucketsIn(organizationId) };
  }

  async function rowsOf(organizationId: string): Promise<ConversationSessionRow[]> {
    const rows = await database.dataSource.query<{ document: ConversationSessionRow }[]>(
      `SELECT document FROM contact_center.conversation_session WHERE organization_id = $1
       ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id`,
      [organizationId],
    );
    return rows.map(({ document }) => document);
  }

  async function bucketsIn(organizationId: string): Promise<unknown[]> {
    return database.dataSource.query(
      `SELECT starts_at, rows, digest FROM contact_center.bucket WHERE organization_id = $1 ORDER BY starts_at`,
      [organizationId],
    );
  }
});

/** Four conversations of two agents with tickets, messages and surveys; some records are later versions of others. */
function manyRecords(): ReceivedRecord[] {
  return [0, 1, 2, 3].flatMap((index) => {
    const of = { conversationId: `c-${index}` };
    const at = (minute: number) => `2026-01-05T0${index}:${String(minute).padStart(2, '0')}:00Z`;
    return [
      record.conversation({ id: of.conversationId, updatedAt: at(1) }),
      record.conversation({
        id: of.conversationId,
        updatedAt: at(50),
        closedAt: at(49),
        customer: { name: 'Chi' },
      }),
      record.activity({ ...of, id: `a-${index}-0`, action: 'route_to_human', occurredAt: at(1) }),
      record.activity({ ...of, id: `a-${index}-1`, occurredAt: at(2), agent: ANN }),
      record.activity({ ...of, id: `a-${index}-2`, occurredAt: at(20), agent: BOB }),
      record.activity({ ...of, id: `a-${index}-3`, action: 'route_to_rating', occurredAt: at(30) }),
      record.message({ ...of, id: `m-${index}-0`, sentAt: at(5) }),
      record.message({ ...of, id: `m-${index}-1`, sentAt: at(25) }),
      record.message({ ...of, id: `m-${index}-2`, sentAt: at(26), senderType: 'customer' }),
      record.ticket({ ...of, id: index * 10, assigneeAccountId: 1, createdAt: at(3), updatedAt: at(3) }),
      record.ticket({
        ...of,
        id: index * 10,
        assigneeAccountId: 2,
        createdAt: at(3),
        assignedAt: at(22),
        updatedAt: at(4),
      }),
      record.ticket({ ...of, id: index * 10 + 1, assigneeAccountId: 99, createdAt: at(3), updatedAt: at(3) }),
      record.survey({ ...of, id: `s-${index}-0`, rating: 2, submittedAt: at(31) }),
      record.survey({ ...of, id: `s-${index}-1`, rating: 5, submittedAt: at(32) }),
    ];
  });
}

/** The records shuffled, some of them repeated, and split into transactions. */
function inAnyManner(records: ReceivedRecord[]): fc.Arbitrary<ReceivedRecord[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray(records, { minLength: records.length }),
      fc.subarray(records, { maxLength: 10 }),
      fc.integer({ min: 1, max: 20 }),
    )
    .map(([shuffled, repeated, size]) => {
      const all = [...shuffled, ...repeated];
      return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
        all.slice(index * size, (index + 1) * size),
      );
    });
}
