import fc from 'fast-check';
import type { ReceivedRecord } from '@cxp/records';
import { runs } from '@cxp/testing';
import { record } from '../../test/builders/platform-records';
import { useContactCenterDatabase } from '../../test/contact-center-database';
import { SESSION_END_REASONS } from '../derivation';
import { ConversationSessionReadModel, type SessionFilter } from './conversation-session.read-model';
import { BEFORE_EVERY_ROW, type RowPosition } from './row-cursor';
import { rebuildBuckets } from '@cxp/change-feed';
import { FILTER_COLUMNS, type FilterName, FILTERS, SESSIONS } from './stored-row';

const HOUR = 60 * 60 * 1000;
const START = Date.parse('2026-01-05T00:00:00.000Z');
/** In the order of their code points, which is not that of UTF-16. */
const IDS = ['B', 'Z', 'a', 'b', 'c', 'é', '\uFF5E', '\u{1F600}'];

/** A few hours with many conversations each, and some far away. */
const instant = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 1, 24, 768, 9_000),
    fc.constantFrom(0, 0, 1, HOUR / 4 - 1, HOUR / 2, HOUR - 1),
  )
  .map(([hours, into]) => START + hours * HOUR + into);

const agent = fc.constantFrom(
  null,
  { accountId: 1, email: 'Ann@example.com' },
  { accountId: 2, email: 'bob@example.com' },
);

/** Anything that can happen to a conversation: it moves in time, its agents change, records of it go elsewhere. */
const change: fc.Arbitrary<ReceivedRecord> = fc.oneof(
  fc
    .record({ id: fc.constantFrom(...IDS), at: instant })
    .map(({ id, at }) => record.conversation({ id, updatedAt: new Date(at).toISOString() })),
  fc
    .record({
      id: fc.nat(11).map((number) => `activity ${number}`),
      conversationId: fc.constantFrom(...IDS),
      action: fc.constantFrom('assign', 'route_back_to_human', 'end_conversation', 'route_to_ai', 'none'),
      occurredAt: fc.integer({ min: 10, max: 13 }).map((hour) => `2026-01-05T${hour}:00:00Z`),
      agent,
    })
    .map((activity) => record.activity(activity)),
  fc
    .record({
      id: fc.nat(7),
      conversationId: fc.constantFrom(...IDS),
      assigneeAccountId: fc.constantFrom(1, 2, 99, null),
    })
    .map((ticket) => record.ticket({ ...ticket, assignedAt: '2026-01-05T11:30:00Z' })),
);

const filtered: Readonly<Record<FilterName, fc.Arbitrary<string[]>>> = {
  sessionAgentEmails: fc.subarray(['ann@example.com', 'bob@example.com', 'eve@example.com'], {
    minLength: 1,
  }),
  assigneeAccountIds: fc.subarray(['1', '2', '99'], { minLength: 1 }),
  sessionEndReasons: fc.subarray([...SESSION_END_REASONS], { minLength: 1 }),
};

const filter = fc
  .record(
    {
      bounds: fc.tuple(instant, instant),
      /** A window that ends at a mark of buckets, or beside it. */
      beside: fc.constantFrom(0, 1),
      ...filtered,
    },
    { requiredKeys: ['bounds', 'beside'] },
  )
  .map(({ bounds: [one, other], beside, ...rest }): SessionFilter => ({
    startsAt: Math.min(one, other),
    endsAt: Math.max(one, other) + beside,
    ...rest,
  }));

const EVER: SessionFilter = { startsAt: START - 200_000 * HOUR, endsAt: START + 200_000 * HOUR };

describe('pages and positions, after conversations changed in any way', () => {
  const database = useContactCenterDatabase();
  let sessions: ConversationSessionReadModel;
  beforeAll(() => {
    sessions = new ConversationSessionReadModel(database.dataSource.manager);
  });

  it('are those of the rows that are there: all pages are all rows in order, as are all rows after each other', async () => {
    const transactions = fc.array(fc.array(change, { minLength: 1, maxLength: 30 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        transactions,
        fc.array(filter, { minLength: 3, maxLength: 6 }),
        fc.integer({ min: 1, max: 7 }),
        async (changes, filters, size) => {
          const organizationId = database.newOrganization();
          for (const records of changes) {
            await database.store(organizationId, records);
            await compareBuckets(organizationId);
            for (const filter of [EVER, ...filters]) {
              const expected = await everyRow(organizationId, filter);
              expect(await pageByPage(organizationId, filter, size)).toEqual(expected);
              expect(await oneAfterTheOther(organizationId, filter, size)).toEqual(expected);
            }
          }
        },
      ),
      { numRuns: runs(12) },
    );
  });

  it('are read with each filter from the index alone: it includes the column of each', async () => {
    const included: { column: string }[] = await database.dataSource.query(
      `SELECT attname AS column FROM pg_index, unnest(indkey) WITH ORDINALITY AS key (attnum, place)
       JOIN pg_attribute USING (attnum)
       WHERE indexrelid = 'contact_center.conversation_session_order'::regclass AND attrelid = indrelid
         AND place > indnkeyatts ORDER BY place`,
    );
    const lacking = FILTER_COLUMNS.filter((name) => !included.some(({ column }) => column === name));
    const advice = (column: string) =>
      `a migration adds ${column} to the table and to the INCLUDE of conversation_session_order (tools/README.md, "A filter of B1")`;
    expect(lacking.map(advice)).toEqual([]);
    expect(included.length).toBe(FILTER_COLUMNS.length);
  });

  /** The buckets are those of a plain query, and to make them anew changes nothing. */
  async function compareBuckets(organizationId: string): Promise<void> {
    const buckets = () =>
      database.dataSource.query(
        `SELECT starts_at, rows, digest FROM contact_center.bucket WHERE organization_id = $1 ORDER BY starts_at`,
        [organizationId],
      );
    const kept: unknown = await buckets();
    expect(kept).toEqual(
      await database.dataSource.query(
        `SELECT to_timestamp(floor(date_part('epoch', conversation_updated_at) / 900) * 900) AS starts_at,
           count(*)::integer AS rows, bit_xor(digest) AS digest
         FROM contact_center.conversation_session WHERE organization_id = $1 GROUP BY 1 ORDER BY 1`,
        [organizationId],
      ),
    );
    await database.dataSource.transaction((manager) => rebuildBuckets(manager, SESSIONS, organizationId));
    expect(await buckets()).toEqual(kept);
  }

  async function pageByPage(organizationId: string, filter: SessionFilter, size: number): Promise<string[]> {
    const all: string[] = [];
    for (let offset = 0; ; offset += size) {
      const { total, rows } = await sessions.page(organizationId, filter, { offset, limit: size });
      all.push(...rows.map(({ document }) => JSON.stringify(document)));
      expect(rows).toHaveLength(Math.max(0, Math.min(size, total - offset)));
      if (all.length >= total) return all;
    }
  }

  async function oneAfterTheOther(
    organizationId: string,
    filter: SessionFilter,
    size: number,
  ): Promise<string[]> {
    const all: string[] = [];
    for (let position: RowPosition | undefined = BEFORE_EVERY_ROW; position;) {
      // One or two rows are larger.
      const limits = { limit: size, bytes: 1_000 };
      const { rows, hasMore } = await sessions.after(organizationId, filter, position, limits);
      all.push(...rows.map(({ document }) => JSON.stringify(document)));
      position = hasMore ? rows.at(-1) : undefined;
    }
    return all;
  }

  /** The same, as anyone would write it. */
  async function everyRow(organizationId: string, filter: SessionFilter): Promise<string[]> {
    const rows = await database.dataSource.query<{ document: object }[]>(
      `SELECT document FROM contact_center.conversation_session
       WHERE organization_id = $1
         AND date_part('epoch', conversation_updated_at) * 1000 >= $2
         AND date_part('epoch', conversation_updated_at) * 1000 < $3
         ${Object.values(FILTERS)
           .map(({ column }, n) => `AND ($${n + 4}::text[] IS NULL OR ${column}::text = ANY ($${n + 4}))`)
           .join(' ')}
       ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id`,
      [
        organizationId,
        filter.startsAt,
        filter.endsAt,
        ...(Object.keys(FILTERS) as FilterName[]).map((name) => filter[name]),
      ],
    );
    return rows.map(({ document }) => JSON.stringify(document));
  }
});
