import { type BusinessCalendar, type Span, spanOf } from '../business-hours';
import {
  type Anchor,
  type Anchors,
  calendarSeconds,
  type DerivedRow,
  RULES,
  ruleOf,
  type MeasuredSpan,
  SPANS,
} from '../derivation';
import { dateTime, type Instant } from '../instant';
import {
  type AnchorExplanation,
  type BusinessHoursExplanation,
  MAX_INTERVALS,
  type MetricExplanation,
  type RecordReference,
  type RowExplanation,
} from './explanation.dto';

interface Calendars {
  readonly calendar: BusinessCalendar;
  /** Without exceptions, if the schedule has some. */
  readonly week?: BusinessCalendar;
}

/** The spans of a row's metrics, in the order of `SPANS`; null where a metric is null. */
export function spansOf({ anchors }: DerivedRow): (Span | null)[] {
  return Object.values(SPANS).map(({ from, to }) => spanOf(anchors[from].at, anchors[to].at));
}

/**
 * @param calendars undefined without a schedule
 * @param seconds of business time in `spansOf` the row
 */
export function explain(
  derived: DerivedRow,
  calendars?: Calendars,
  seconds: readonly (number | null)[] = [],
): RowExplanation {
  const { row, session, match, satisfaction, anchors } = derived;
  const spans = spansOf(derived);
  const { survey } = satisfaction;
  return {
    sessionIndex: row.sessionIndex,
    ticketId: row.ticketId,
    session: session && {
      opened: reference('activity', session.opened.id, session.opened.occurredAt),
      closed: session.closed && reference('activity', session.closed.id, session.closed.occurredAt),
      rule: ruleOf(session),
    },
    ticket: match && {
      matchedBy: match.matchedBy,
      at: match.matchedBy && dateTime(match.ticket[match.matchedBy]),
      rule: match.rule,
    },
    satisfaction: {
      record: survey && reference('conversation_survey', survey.id, survey.submittedAt),
      rule: satisfaction.rule,
    },
    anchors: {
      botHandoffAt: anchorOf('activity', anchors.botHandoffAt),
      firstAgentAssignedAt: anchorOf('activity', anchors.firstAgentAssignedAt),
      firstAgentMessageAt: anchorOf('message', anchors.firstAgentMessageAt),
      lastAgentMessageAt: anchorOf('message', anchors.lastAgentMessageAt),
      conversationResolvedAt: anchorOf('conversation', anchors.conversationResolvedAt),
    },
    metrics: {
      ...ofEachSpan('Seconds', (span) => calendarMetric(anchors, span)),
      ...ofEachSpan('BusinessHoursSeconds', (span) => {
        const place = Object.values(SPANS).indexOf(span);
        return businessHoursMetric(anchors, span, spans[place]!, calendars, seconds[place] ?? null);
      }),
    },
  };
}

function ofEachSpan<Suffix extends string, Metric>(
  suffix: Suffix,
  metric: (span: MeasuredSpan) => Metric,
): Record<`${keyof typeof SPANS}${Suffix}`, Metric> {
  const metrics = Object.entries(SPANS).map(([name, span]) => [`${name}${suffix}`, metric(span)]);
  return Object.fromEntries(metrics) as ReturnType<typeof ofEachSpan<Suffix, Metric>>;
}

function calendarMetric(anchors: Anchors, { from, to }: MeasuredSpan): MetricExplanation {
  const [start, end] = [anchors[from].at, anchors[to].at];
  const rule = missingRule(start, end) ?? RULES.metric.calendar(from, to);
  return { seconds: calendarSeconds(start, end), from, to, rule };
}

function businessHoursMetric(
  anchors: Anchors,
  { from, to }: MeasuredSpan,
  measured: Span | null,
  calendars: Calendars | undefined,
  seconds: number | null,
): BusinessHoursExplanation {
  if (!measured) {
    const rule = missingRule(anchors[from].at, anchors[to].at)!;
    return { seconds: null, from, to, rule, counted: [], omitted: [] };
  }
  const notCounted = (reason: 'no_schedule' | 'out_of_range', rule: string) => {
    const omitted = measured.to > measured.from ? [{ ...span(measured), reason }] : [];
    return { seconds: null, from, to, rule, counted: [], omitted };
  };
  if (!calendars) return notCounted('no_schedule', RULES.metric.noSchedule);
  if (seconds === null) return notCounted('out_of_range', RULES.metric.outOfRange);
  const counted: BusinessHoursExplanation['counted'] = [];
  const omitted: BusinessHoursExplanation['omitted'] = [];
  let truncated = false;
  const { calendar, week } = calendars;
  for (const part of partsOf(measured, calendar, week)) {
    truncated = counted.length + omitted.length === MAX_INTERVALS;
    if (truncated) break;
    if (part.reason) omitted.push({ ...span(part), reason: part.reason });
    else counted.push(span(part));
  }
  const rule = RULES.metric.businessHours(from, to);
  return { seconds, from, to, rule, counted, omitted, ...(truncated && { truncated }) };
}

function missingRule(from: Instant | null, to: Instant | null): string | undefined {
  if (from === null || to === null) return RULES.metric.missing;
  return to < from ? RULES.metric.negative : undefined;
}

function anchorOf<Source extends { readonly id: string }>(
  type: RecordReference['type'],
  { at, record, rule }: Anchor<Source>,
): AnchorExplanation {
  return {
    at: dateTime(at),
    record: record && at !== null ? reference(type, record.id, at) : null,
    rule,
  };
}

function reference(type: RecordReference['type'], id: string, at: Instant): RecordReference {
  return { type, id, at: dateTime(at) };
}

function span({ from, to }: Span): { from: string; to: string } {
  return { from: dateTime(from), to: dateTime(to) };
}

type Openings = Pick<BusinessCalendar, 'intervalsBetween'>;

/** `reason` says why the part does not count; null if it does. */
interface Part extends Span {
  readonly reason: 'closed' | 'exception' | null;
}

/**
 * Divides a span lazily into ordered, adjacent parts that count or do not. An exception is the reason where the week alone
 * would count.
 */
export function* partsOf({ from, to }: Span, calendar: Openings, week?: Openings): Generator<Part> {
  let at = from;
  for (const open of calendar.intervalsBetween(from, to)) {
    yield* omitted(at, open.from, week);
    yield { from: open.from, to: open.to, reason: null };
    at = open.to;
  }
  yield* omitted(at, to, week);
}

function* omitted(from: Instant, to: Instant, week: Openings | undefined): Generator<Part> {
  let at = from;
  for (const open of week && from < to ? week.intervalsBetween(from, to) : []) {
    if (open.from > at) yield { from: at, to: open.from, reason: 'closed' };
    yield { from: open.from, to: open.to, reason: 'exception' };
    at = open.to;
  }
  if (at < to) yield { from: at, to, reason: 'closed' };
}
