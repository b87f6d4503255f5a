import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { anyRecords } from '../../test/builders/any-records';
import { type ConversationRecords, deriveRows } from '../derivation';
import type { Span } from '../business-hours';
import { explain, partsOf } from './explanation';
import type { RecordReference } from './explanation.dto';

const explanationsOf = (records: ConversationRecords) =>
  [...deriveRows(records)].map((derived) => explain(derived, undefined));

/** All records that some explanations name. */
function namedIn(explanations: ReturnType<typeof explanationsOf>): RecordReference[] {
  return explanations.flatMap(({ session, satisfaction, anchors }) => [
    ...[session?.opened, session?.closed, satisfaction.record].filter((record) => !!record),
    ...Object.values(anchors).flatMap(({ record }) => record ?? []),
  ]);
}

/** The records without one of them. */
function without(records: ConversationRecords, { type, id }: Pick<RecordReference, 'type' | 'id'>) {
  const rest = <Item extends { readonly id: string }>(of: string, list: readonly Item[]) =>
    of === type ? list.filter((item) => item.id !== id) : list;
  return {
    ...records,
    activities: rest('activity', records.activities),
    messages: rest('message', records.messages),
    surveys: rest('conversation_survey', records.surveys),
  };
}

function timesOf({
  activities,
  messages,
  surveys,
  conversation,
}: ConversationRecords): Map<string, number | null> {
  return new Map([
    ...activities.map(({ id, occurredAt }) => [`activity ${id}`, occurredAt] as const),
    ...messages.map(({ id, sentAt }) => [`message ${id}`, sentAt] as const),
    ...surveys.map(({ id, submittedAt }) => [`conversation_survey ${id}`, submittedAt] as const),
    [`conversation ${conversation.id}`, conversation.closedAt],
  ]);
}

describe('the explanation of any conversation', () => {
  it('has the anchors and figures of its rows', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        for (const derived of deriveRows(records)) {
          const { sessionIndex, ticketId, anchors, metrics } = explain(derived, undefined);
          const times = Object.entries(anchors).map(([name, { at }]) => [name, at]);
          const { waitTimeSeconds, firstResponseTimeSeconds, resolutionTimeSeconds } = metrics;
          expect(derived.row).toMatchObject({
            ...{ sessionIndex, ticketId, ...Object.fromEntries(times) },
            waitTimeSeconds: waitTimeSeconds.seconds,
            firstResponseTimeSeconds: firstResponseTimeSeconds.seconds,
            resolutionTimeSeconds: resolutionTimeSeconds.seconds,
          });
        }
      }),
    );
  });

  it('names only records that exist, with their times', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const times = timesOf(records);
        for (const { type, id, at } of namedIn(explanationsOf(records)))
          expect(times.get(`${type} ${id}`)).toBe(Date.parse(at));
      }),
    );
  });

  it('names all that the figures rest on: without any other record it is the same', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const explanations = explanationsOf(records);
        const named = new Set(namedIn(explanations).map(({ type, id }) => `${type} ${id}`));
        // Without a take-over at the very start of a session, which does not count, a later one would.
        const starts = explanations.map(({ session }) => session && Date.parse(session.opened.at));
        for (const { id, action, occurredAt } of records.activities)
          if (action === 'human_take_over' && starts.includes(occurredAt)) named.add(`activity ${id}`);
        for (const key of timesOf(records).keys()) {
          const [type, id] = key.split(' ') as [RecordReference['type'], string];
          if (!named.has(key)) expect(explanationsOf(without(records, { type, id }))).toEqual(explanations);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('names nothing else: without a record that it names it changes', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const explanations = explanationsOf(records);
        for (const record of namedIn(explanations).filter(({ type }) => type !== 'conversation'))
          expect(explanationsOf(without(records, record))).not.toEqual(explanations);
      }),
      { numRuns: runs(200) },
    );
  });
});

/** Intervals in order, of which none touches another, clipped to a span. */
const anyIntervals = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }).map((bounds) => {
  const sorted = bounds.slice(0, bounds.length - (bounds.length % 2)).sort((a, b) => a - b);
  return sorted.flatMap((from, n) => (n % 2 === 0 ? [{ from, to: sorted[n + 1]! }] : []));
});
const calendarOf = (intervals: readonly Span[]) => ({
  *intervalsBetween(from: number, to: number) {
    yield* intervals
      .map((interval) => ({ from: Math.max(from, interval.from), to: Math.min(to, interval.to) }))
      .filter((interval) => interval.from < interval.to);
  },
});
const isIn = (at: number, intervals: readonly Span[]) =>
  intervals.some(({ from, to }) => from <= at && at < to);

it('the parts of a span are exactly the span, each with its reason', () => {
  fc.assert(
    fc.property(
      anyIntervals,
      anyIntervals,
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (open, week, from, to) => {
        const parts = [...partsOf({ from, to }, calendarOf(open), calendarOf(week))];
        for (let at = from; at < to; at++) {
          const holding = parts.filter((part) => isIn(at, [part]));
          const reason = isIn(at, open) ? null : isIn(at, week) ? 'exception' : 'closed';
          expect(holding).toEqual([expect.objectContaining({ reason })]);
        }
        const bounds = parts.map((part) => [part.from, part.to]);
        expect(bounds.flat()).toEqual([...bounds.flat()].sort((a, b) => a - b));
        expect(parts.every((part) => part.from < part.to && from <= part.from && part.to <= to)).toBe(true);
      },
    ),
  );
});
