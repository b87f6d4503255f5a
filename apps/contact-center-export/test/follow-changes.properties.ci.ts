import fc from 'fast-check';
import { hexDigest, rowDigest } from '@cxp/change-feed';
import { runs } from '@cxp/testing';
import { BUSINESS_HOURS_FIELDS } from '../src/derivation';
import { record, removal } from './builders/platform-records';
import {
  type ChangeItem,
  type ChangePage,
  ContactCenter,
  EVER,
  useContactCenter,
} from './contact-center-service';

const HISTORIES = runs(17);

const IDS = ['a', 'b', 'c', 'd', 'e'];
const hour = (number: number) => new Date(Date.UTC(2026, 0, 5, number)).toISOString();
const agents = fc.constantFrom(
  null,
  { accountId: 1, email: 'ann@example.com' },
  { accountId: 2, email: 'Bob@example.com', name: 'Bob' },
  { accountId: 3, email: 'bot@example.com', isServiceAccount: true },
);
const conversationId = fc.constantFrom(...IDS);

const upsert: fc.Arbitrary<object> = fc.oneof(
  fc
    .tuple(conversationId, fc.nat(40), fc.option(fc.nat(40)))
    .map(([id, updated, closed]) =>
      record.conversation({ id, updatedAt: hour(updated), closedAt: closed === null ? null : hour(closed) }),
    ),
  fc
    .record({
      id: fc.nat(9).map((number) => `activity ${number}`),
      conversationId,
      action: fc.constantFrom(
        'assign',
        'human_take_over',
        'route_to_ai',
        'route_to_rating',
        'end_conversation',
      ),
      occurredAt: fc.nat(20).map(hour),
      agent: agents,
    })
    .map((activity) => record.activity(activity)),
  fc
    .record({
      id: fc.nat(5).map((number) => `message ${number}`),
      conversationId,
      senderType: fc.constantFrom('agent', 'customer'),
      sentAt: fc.nat(20).map(hour),
    })
    .map((message) => record.message(message)),
  fc
    .record({
      id: fc.nat(5),
      conversationId,
      assigneeAccountId: fc.constantFrom(null, 1, 2),
      assignedAt: fc.nat(20).map(hour),
      updatedAt: fc.nat(20).map(hour),
      status: fc.constantFrom('open', 'solved'),
      customFields: fc.dictionary(fc.constantFrom('10', '9', 'Größe', '😀', '\ufb33'), fc.string(), {
        noNullPrototype: true,
      }),
    })
    .map((ticket) => record.ticket(ticket)),
  fc
    .record({
      id: fc.nat(3).map((number) => `survey ${number}`),
      conversationId,
      rating: fc.integer({ min: 1, max: 5 }),
      submittedAt: fc.nat(30).map(hour),
    })
    .map((survey) => record.survey(survey)),
);
const anyRemoval = fc
  .tuple(
    fc.oneof(
      conversationId.map((id) => ({ type: 'conversation', id }) as const),
      fc.nat(5).map((id) => ({ type: 'ticket', id }) as const),
      fc.nat(9).map((number) => ({ type: 'activity', id: `activity ${number}` }) as const),
      fc.nat(5).map((number) => ({ type: 'message', id: `message ${number}` }) as const),
      fc.nat(3).map((number) => ({ type: 'conversation_survey', id: `survey ${number}` }) as const),
    ),
    fc.option(fc.nat(40).map(hour)),
  )
  .map(([{ type, id }, updatedAt]) => removal(type, id, updatedAt === null ? {} : { updatedAt }));
const schedule = fc
  .constantFrom('08:00', '09:00')
  .map((start) =>
    record.schedule({ weekly: [1, 2, 3].map((weekday) => ({ weekday, start, end: '17:30' })) }),
  );
const line = fc.oneof(
  { arbitrary: upsert, weight: 16 },
  { arbitrary: anyRemoval, weight: 3 },
  { arbitrary: schedule, weight: 1 },
);

/** What four writers send, request by request, and how much the follower reads between two requests. */
const history = fc.record({
  writers: fc.array(fc.array(fc.array(line, { minLength: 1, maxLength: 12 }), { maxLength: 4 }), {
    minLength: 4,
    maxLength: 4,
  }),
  pages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 8 }),
});

/** A follower and a service that are killed: tools/system-tests/test/kills.ci.ts. */
describe('a follower', () => {
  const area = useContactCenter();

  it(
    'has the rows of B1, and their digests, after any history of four writers',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ writers, pages }) => {
          await area.newOrganization();
          const follower = new ChangeFollower(area);
          const writing = Promise.all(
            writers.map(async (requests) => {
              for (const records of requests) await area.store(records);
            }),
          );
          for (const limit of pages) await follower.readPage(limit);
          await writing;
          while (await follower.readPage(500));
          expect(follower.rows()).toEqual((await area.stream()).map(({ cursor: _, ...row }) => row));
          const { body } = await area.listDigests({ ...EVER, timezone: 'UTC' }).expect(200);
          expect((body as { items: object[] }).items).toEqual(follower.digests());
        }),
        { numRuns: HISTORIES },
      );
    },
    HISTORIES * 2_000 + 30_000,
  );
});

/** Keeps a copy as a client does that knows only the documentation. */
class ChangeFollower {
  private readonly copy = new Map<string, ChangeItem>();
  private cursor: string | undefined;
  private last = 0;

  constructor(private readonly area: ContactCenter) {}

  /** @returns whether there is more */
  async readPage(limit: number): Promise<boolean> {
    const query = { limit, ...(this.cursor !== undefined && { cursor: this.cursor }) };
    const answer = await this.area.listChanges(query);
    if (answer.status === 410) return this.restart();
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    const { items, change, nextCursor, hasMore } = answer.body as ChangePage;
    for (const item of items) {
      if (item.change <= this.last) throw new Error(`${item.change} after ${this.last}`);
      this.last = item.change;
      if (item.op === 'resync') return this.restart();
      const key = JSON.stringify(item.key);
      if (item.op === 'upsert') this.copy.set(key, item);
      else this.copy.delete(key);
    }
    if (hasMore ? change !== this.last : change < this.last)
      throw new Error(`reached ${change} with ${this.last}`);
    this.cursor = nextCursor;
    return hasMore;
  }

  /** The rows of the copy, in the order of B1. */
  rows(): object[] {
    return [...this.copy.values()].sort(inOrder).map(({ row }) => row!);
  }

  /** Digests by day of UTC, computed from the rows alone, by the letter of the documentation. */
  digests(): object[] {
    const days = new Map<string, { rows: number; digest: bigint }>();
    for (const { key, conversationUpdatedAt, row } of this.copy.values()) {
      const rest = Object.fromEntries(
        Object.entries(row!).filter(([name]) => !(BUSINESS_HOURS_FIELDS as readonly string[]).includes(name)),
      );
      const digest = rowDigest({ key, conversationUpdatedAt, row: rest });
      const date = conversationUpdatedAt!.slice(0, 10);
      const day = days.get(date) ?? { rows: 0, digest: 0n };
      days.set(date, { rows: day.rows + 1, digest: day.digest ^ digest });
    }
    return [...days]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([date, { rows, digest }]) => ({ date, rows, digest: hexDigest(digest) }));
  }

  private restart(): true {
    this.copy.clear();
    this.cursor = undefined;
    this.last = 0;
    return true;
  }
}

function inOrder(one: ChangeItem, other: ChangeItem): number {
  const places = [one, other].map(({ key, conversationUpdatedAt }) => [
    conversationUpdatedAt!,
    key!.conversationId,
    key!.sessionIndex ?? Infinity,
    key!.ticketId ?? -Infinity,
  ]);
  for (const [at, place] of places[0]!.entries()) {
    if (place !== places[1]![at]) return place < places[1]![at]! ? -1 : 1;
  }
  return 0;
}
