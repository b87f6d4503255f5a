import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { expectedFields, expectedSession } from '../../test/oracles/rules-as-written';
import { anyActivities, anyRecords } from '../../test/builders/any-records';
import { rowsOf } from '../../test/builders/conversation-records';
import { type ConversationRecords, inReadingOrder } from './records';
import { deriveSessions } from './sessions';

function inAnotherOrder(records: ConversationRecords): fc.Arbitrary<ConversationRecords> {
  const shuffled = <T>(list: readonly T[]) =>
    fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
  return fc.record({
    conversation: fc.constant(records.conversation),
    activities: shuffled(records.activities),
    messages: shuffled(records.messages),
    tickets: shuffled(records.tickets),
    surveys: shuffled(records.surveys),
  });
}

describe('rows of any conversation', () => {
  it('depend on the set of records only, not on the order in which they are given', () => {
    const pair = anyRecords.chain((records) => fc.tuple(fc.constant(records), inAnotherOrder(records)));
    fc.assert(fc.property(pair, ([one, other]) => expect(rowsOf(other)).toEqual(rowsOf(one))));
  });

  it('hold every ticket exactly once, and every session at least once', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const rows = rowsOf(records);
        const ticketIds = rows.flatMap(({ ticketId }) => ticketId ?? []);
        expect(ticketIds.sort((a, b) => a - b)).toEqual(records.tickets.map(({ id }) => id));
        const indexes = new Set(rows.flatMap(({ sessionIndex }) => sessionIndex ?? []));
        expect([...indexes]).toEqual(
          deriveSessions(inReadingOrder(records.activities)).map(({ index }) => index),
        );
      }),
    );
  });

  it('are in the order of sessionIndex, rows without one last, then ticketId', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const keys = rowsOf(records).map((row) => [row.sessionIndex ?? Infinity, row.ticketId ?? 0] as const);
        expect(keys).toEqual([...keys].sort(([a, x], [b, y]) => (a === b ? x - y : a - b)));
      }),
    );
  });

  it('have metrics that are never negative, and null exactly when an anchor is missing or comes too late', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const row of rowsOf(records)) {
          for (const [seconds, from, to] of [
            [row.waitTimeSeconds, row.botHandoffAt, row.firstAgentMessageAt],
            [row.firstResponseTimeSeconds, row.firstAgentAssignedAt, row.firstAgentMessageAt],
            [row.resolutionTimeSeconds, row.botHandoffAt, row.conversationResolvedAt],
          ] as const) {
            const measurable = from !== null && to !== null && from <= to;
            expect(seconds).toBe(measurable ? (Date.parse(to) - Date.parse(from)) / 1000 : null);
          }
        }
      }),
    );
  });
});

describe('rows of any conversation, beside the rules as they are written', () => {
  it('have the sessions, anchors, satisfaction and first events that every record was asked for', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const rows = rowsOf(records);
        const sessions = deriveSessions(inReadingOrder(records.activities));
        for (const row of rows) {
          const session = sessions[row.sessionIndex ?? -1] ?? null;
          expect(row).toMatchObject(expectedFields(records, sessions, session));
        }
        const pairs = rows.flatMap(({ ticketId, sessionIndex }) =>
          ticketId === null ? [] : [[ticketId, sessionIndex]],
        );
        expect(new Map(pairs as [number, number | null][])).toEqual(
          new Map(records.tickets.map((each) => [each.id, expectedSession(each, sessions)])),
        );
      }),
      { numRuns: runs(250) },
    );
  });
});

describe('sessions of any conversation', () => {
  it('do not overlap, are numbered in order, and only the last can be open', () => {
    fc.assert(
      fc.property(anyActivities, (list) => {
        const sessions = deriveSessions(inReadingOrder(list));
        for (const [index, session] of sessions.entries()) {
          expect(session.index).toBe(index);
          expect(session.endAt === null).toBe(session.endReason === 'open_at_end');
          expect(session.endAt ?? Infinity).toBeGreaterThanOrEqual(session.tookOverAt ?? session.startAt);
          const next = sessions[index + 1];
          if (next) expect(next.startAt).toBeGreaterThanOrEqual(session.endAt ?? Infinity);
        }
      }),
    );
  });
});
