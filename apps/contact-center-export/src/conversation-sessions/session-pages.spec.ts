import fc from 'fast-check';
import type { ReceivedRecord } from '@cxp/record-intake';
import { runs } from '@cxp/testing';
import { record } from '../../test/builders/platform-records';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import type { ConversationSessionRow, SessionEndReason } from '../derivation';
import type { StoredRow } from './stored-row';
import type { SessionFilter } from './filters';
import { ConversationSessionRepository } from './conversation-session.repository';

const HOUR = 60 * 60 * 1000;
const START = Date.parse('2026-01-05T00:00:00.000Z');
const EVER: SessionFilter = { startsAt: START - 1e12, endsAt: START + 1e12 };

/** What the filters read of a row. */
interface Place {
  readonly updatedAt: number;
  readonly conversationId: string;
  readonly email: string;
  readonly account: number | null;
  readonly endReason: string;
  readonly ticketId: number | null;
}

/** A conversation whose agent handles it once, with as many tickets of that agent, and one of nobody's. */
interface Case {
  readonly updatedAt: number;
  readonly agent: number;
  readonly endAction: string;
  readonly tickets: number;
  readonly unmatched: boolean;
}

const END_REASONS: Record<string, SessionEndReason> = {
  end_conversation: 'terminal',
  route_to_ai: 'handoff_to_ai',
  route_to_human: 'replaced_by_other_handoff',
  nothing: 'open_at_end',
};

/** Times on, and a millisecond beside, the marks of buckets, hours and days. */
const updatedAt = fc
  .tuple(fc.constantFrom(0.25, 1, 24), fc.integer({ min: -3, max: 3 }), fc.constantFrom(-1, 0, 0, 1, 1234567))
  .map(([hours, count, beside]) => Math.floor(START / (hours * HOUR) + count) * hours * HOUR + beside);

const cases = fc.array(
  fc.record<Case>({
    updatedAt,
    agent: fc.integer({ min: 1, max: 3 }),
    endAction: fc.constantFrom(...Object.keys(END_REASONS)),
    tickets: fc.integer({ min: 0, max: 2 }),
    unmatched: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

const filter = fc.record<SessionFilter>(
  {
    startsAt: updatedAt,
    endsAt: updatedAt,
    sessionAgentEmails: fc.subarray(['agent1@example.com', 'agent2@example.com', 'nobody@example.com'], {
      minLength: 1,
    }),
    assigneeAccountIds: fc.subarray(['1', '2', '99', '1234'], { minLength: 1 }),
    sessionEndReasons: fc.subarray(Object.values(END_REASONS), { minLength: 1 }),
  },
  { requiredKeys: ['startsAt', 'endsAt'] },
);

describe('a page of conversation sessions', () => {
  let database: ContactCenterDatabase;
  let sessions: ConversationSessionRepository;
  let organizations = 0;

  beforeAll(async () => {
    database = await createContactCenterDatabase();
    sessions = new ConversationSessionRepository(database.dataSource.manager);
  });

  afterAll(() => database.drop());

  it('is that part of the matching rows in order, with the total, whatever the window, filter and page', async () => {
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.array(fc.record({ filter, offset: fc.nat(30), limit: fc.integer({ min: 1, max: 10 }) }), {
          minLength: 4,
        }),
        async (conversations, pages) => {
          const organizationId = newOrganization();
          await database.store(organizationId, conversations.flatMap(recordsOf));
          const all = conversations.flatMap(placesOf).sort(inOrder);
          for (const { filter, offset, limit } of pages) {
            const matching = all.filter((place) => matches(place, filter));
            const page = await sessions.page(organizationId, filter, { offset, limit });
            expect(page.total).toBe(matching.length);
            expect(keysOf(page.rows)).toEqual(matching.slice(offset, offset + limit).map(keyOf));
          }
        },
      ),
      { numRuns: runs(4) },
    );
  });

  it('holds rows of the organization only', async () => {
    const [mine, other] = [newOrganization(), newOrganization()];
    const conversation = {
      updatedAt: START,
      agent: 1,
      endAction: 'end_conversation',
      tickets: 1,
      unmatched: true,
    };
    await database.store(other, recordsOf(conversation, 0));
    for (const filter of [
      EVER,
      { ...EVER, assigneeAccountIds: ['1'] },
      { ...EVER, sessionEndReasons: ['terminal'] as const },
    ]) {
      expect(await sessions.page(mine, filter, { offset: 0, limit: 10 })).toMatchObject({
        total: 0,
        rows: [],
      });
    }
  });

  it('orders conversations of one time by the code points of their ids', async () => {
    const organizationId = newOrganization();
    const ids = ['a', 'B', '\u{1F600}', '\uFF5E', 'é', 'Z'];
    await database.store(
      organizationId,
      ids.flatMap((id) => [
        record.conversation({ id }),
        record.activity({ id: `a${id}`, conversationId: id }),
      ]),
    );
    const { rows } = await sessions.page(organizationId, EVER, { offset: 0, limit: 10 });
    expect(documentsOf(rows).map(({ conversationId }) => conversationId)).toEqual([
      'B',
      'Z',
      'a',
      'é',
      '\uFF5E',
      '\u{1F600}',
    ]);
  });

  function newOrganization(): string {
    organizations += 1;
    return `organization-${organizations}`;
  }
});

/** The conversations' ids don't follow their order, nor their tickets'. */
function recordsOf(
  { updatedAt, agent, endAction, tickets, unmatched }: Case,
  index: number,
): ReceivedRecord[] {
  const id = `c-${(index * 7) % 10}-${index}`;
  const of = { conversationId: id };
  const accountId = agent;
  return [
    record.conversation({ id, updatedAt: new Date(updatedAt).toISOString() }),
    record.activity({ ...of, id: `${id}-open`, agent: { accountId, email: `Agent${agent}@example.com` } }),
    record.activity({ ...of, id: `${id}-close`, action: endAction, occurredAt: '2026-01-05T00:30:00Z' }),
    ...Array.from({ length: tickets }, (_, number) =>
      record.ticket({ ...of, id: index * 10 + 3 - number, assigneeAccountId: accountId }),
    ),
    ...(unmatched ? [record.ticket({ ...of, id: index * 10 + 9, assigneeAccountId: 99 })] : []),
  ];
}

function placesOf({ updatedAt, agent, endAction, tickets, unmatched }: Case, index: number): Place[] {
  const conversationId = `c-${(index * 7) % 10}-${index}`;
  const session = {
    updatedAt,
    conversationId,
    email: `agent${agent}@example.com`,
    account: agent,
    endReason: END_REASONS[endAction]!,
  };
  const ticketOnly = { ...session, email: '', account: 99, endReason: '', ticketId: index * 10 + 9 };
  return [
    ...(tickets === 0 ? [{ ...session, ticketId: null }] : []),
    ...Array.from({ length: tickets }, (_, number) => ({ ...session, ticketId: index * 10 + 3 - number })),
    ...(unmatched ? [ticketOnly] : []),
  ];
}

function inOrder(one: Place, other: Place): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt - other.updatedAt;
  if (one.conversationId !== other.conversationId) return one.conversationId < other.conversationId ? -1 : 1;
  if (one.endReason !== other.endReason) return one.endReason === '' ? 1 : -1;
  return (one.ticketId ?? 0) - (other.ticketId ?? 0);
}

function matches(place: Place, filter: SessionFilter): boolean {
  return (
    place.updatedAt >= filter.startsAt &&
    place.updatedAt < filter.endsAt &&
    (filter.sessionAgentEmails?.some((email) => email.toLowerCase() === place.email) ?? true) &&
    (filter.assigneeAccountIds?.some((id) => id === String(place.account)) ?? true) &&
    (filter.sessionEndReasons?.some((reason) => reason === place.endReason) ?? true)
  );
}

function documentsOf(rows: readonly StoredRow[]): ConversationSessionRow[] {
  return rows.map(({ document }) => document);
}

function keysOf(rows: readonly StoredRow[]): string[] {
  return documentsOf(rows).map(({ conversationId, sessionIndex, ticketId }) =>
    [conversationId, sessionIndex === null ? '' : 'session', ticketId].join(' '),
  );
}

function keyOf({ conversationId, endReason, ticketId }: Place): string {
  return [conversationId, endReason === '' ? '' : 'session', ticketId].join(' ');
}
