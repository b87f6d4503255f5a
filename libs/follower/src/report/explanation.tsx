/* The bars of a figure's time. In the report they are drawn by the command, on the chat page of `npm start` by the browser. */
import type { ConversationExplanation } from '@cxp/client';
import type { JSX } from 'preact';

export type ExplainedRow = ConversationExplanation['rows'][number];
type Name = keyof typeof METRICS;

const METRICS = { waitTime: 'Waiting', firstResponseTime: 'First response', resolutionTime: 'Until solved' };
/** What the anchors of a row are called here. */
const POINTS: Readonly<Record<string, string>> = {
  botHandoffAt: 'Handed to the team',
  firstAgentAssignedAt: 'Agent assigned',
  firstAgentMessageAt: 'First answer',
  lastAgentMessageAt: 'Last answer',
  conversationResolvedAt: 'Solved',
};
const REASONS: Readonly<Record<string, string>> = {
  counted: 'business hours',
  closed: 'closed',
  exception: 'holiday',
  no_schedule: 'no business hours are known',
  out_of_range: 'outside the calendar',
};

/** @returns for instance `3 h 6 min`, which no line breaks */
export function duration(exact: number): string {
  const seconds = Math.round(exact);
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor((seconds % 3_600) / 60),
    seconds % 60,
  ];
  if (hours > 0) return minutes > 0 ? `${hours}\u00a0h\u00a0${minutes}\u00a0min` : `${hours}\u00a0h`;
  if (minutes === 0) return `${rest}\u00a0s`;
  return rest > 0 && minutes < 10 ? `${minutes}\u00a0min\u00a0${rest}\u00a0s` : `${minutes}\u00a0min`;
}

export function clockOf(timezone: string, hasSeconds = true): (at: string | number) => string {
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: timezone, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: hasSeconds ? '2-digit' : undefined },
  });
  return (at) => clock.format(new Date(at));
}

/** Without a handoff the contract counts from the assignment. */
function pointName(name: string, { anchors }: ExplainedRow): string {
  const isFallback = name === 'botHandoffAt' && anchors.botHandoffAt.at && !anchors.botHandoffAt.record;
  return isFallback ? 'No handoff: counted from the assignment' : POINTS[name]!;
}

/** The anchors of the row that have a time, in order. */
function pointsOf(row: ExplainedRow): { readonly name: string; readonly at: string }[] {
  const points = Object.entries(row.anchors).map(([name, { at }]) => ({ name: pointName(name, row), at }));
  points.push({ name: 'Rating', at: row.satisfaction.record?.at ?? null });
  return points
    .filter((point): point is { name: string; at: string } => point.at !== null)
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** How long the customer of a row has waited for an answer, as a question. */
export function questionOf({ metrics }: ExplainedRow): string {
  const { seconds } = metrics.waitTimeSeconds;
  return seconds === null ? 'Why is there no answer yet?' : `Why ${duration(seconds)}?`;
}

interface LaneProps {
  readonly name: Name;
  readonly row: ExplainedRow;
  readonly timeOf: (at: string) => string;
  /** The times at the left and right end; by default those of the metric itself. */
  readonly ends?: readonly [number, number];
}

/** One metric: its counted and omitted time as a bar, and a sentence. */
export function Lane({ name, row, timeOf, ends }: LaneProps): JSX.Element {
  const calendar = row.metrics[`${name}Seconds`];
  const hours = row.metrics[`${name}BusinessHoursSeconds`];
  const parts = [...hours.counted.map((part) => ({ ...part, reason: 'counted' })), ...hours.omitted].sort(
    (a, b) => a.from.localeCompare(b.from),
  );
  const [start, end] = ends ?? [Date.parse(parts[0]?.from ?? ''), Date.parse(parts.at(-1)?.to ?? '')];
  const place = (at: string) => ((Date.parse(at) - start) / Math.max(1, end - start)) * 100;
  const spoken = parts.map(
    ({ from, to, reason }) => `${REASONS[reason]} from ${timeOf(from)} to ${timeOf(to)}`,
  );
  const missing = [calendar.from, calendar.to].filter((point) => !row.anchors[point].at);
  const lacking = missing.map((point) => `“${POINTS[point]}”`).join(' and ');
  return (
    <section class="lane" data-span={name}>
      <h3>{METRICS[name]}</h3>
      <div class="track" role="img" aria-label={`${METRICS[name]}: ${spoken.join(', ') || 'not known'}`}>
        {parts.map(({ from, to, reason }) => (
          <i
            data-reason={reason}
            style={{
              left: `min(${place(from).toFixed(3)}%, 100% - 5px)`,
              width: `${(place(to) - place(from)).toFixed(3)}%`,
            }}
          />
        ))}
      </div>
      <p>
        {calendar.seconds === null ? (
          <span>
            {row.session ? `Not known: there is no ${lacking}.` : 'Not known: a ticket without a session.'}
          </span>
        ) : (
          <>
            <b>
              {hours.seconds === null ? 'no business hours' : `${duration(hours.seconds)} in business hours`}
            </b>
            {` of ${duration(calendar.seconds)}. `}
            <span>
              From “{pointName(calendar.from, row)}” to “{pointName(calendar.to, row)}”.
            </span>
          </>
        )}
      </p>
    </section>
  );
}

interface ExplanationProps {
  readonly row: ExplainedRow;
  /** Of the row of the export. */
  readonly fields: Readonly<Record<string, string | number | null>>;
  readonly timezone: string;
}

/** Why the figures of a row are what they are: its metrics as bars of one timeline, and the points that they are counted from. */
export function Explanation({ row, fields, timezone }: ExplanationProps): JSX.Element {
  const timeOf = clockOf(timezone);
  const points = pointsOf(row);
  const times = points.map(({ at }) => Date.parse(at));
  const ends = [Math.min(...times), Math.max(...times)] as const;
  return (
    <article class="explanation">
      <p class="who">{`${fields.sessionAgentName || 'No agent'} · times in ${timezone}`}</p>
      {(Object.keys(METRICS) as Name[]).map((name) => (
        <Lane name={name} row={row} timeOf={timeOf} ends={ends} />
      ))}
      <Axis points={points} ends={ends} />
      <ol class="points">
        {points.map(({ name, at }) => (
          <li>
            <b>{name}</b> {timeOf(at)}
          </li>
        ))}
      </ol>
      <details>
        <summary>The row of the export, and the records that it is made of</summary>
        <dl>
          {Object.entries(fields).map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{String(value ?? '–')}</dd>
            </div>
          ))}
        </dl>
        <Records row={row} ticketId={fields.ticketId ?? null} />
      </details>
    </article>
  );
}

/** The points as numbers below the bars; those that are too near to each other share a place. */
function Axis({
  points,
  ends: [start, end],
}: {
  points: readonly { at: string }[];
  ends: readonly [number, number];
}) {
  const groups: { left: number; numbers: number[] }[] = [];
  for (const [index, { at }] of points.entries()) {
    const left = ((Date.parse(at) - start) / Math.max(1, end - start)) * 100;
    const last = groups.at(-1);
    if (last && left - last.left < 6) last.numbers.push(index + 1);
    else groups.push({ left, numbers: [index + 1] });
  }
  return (
    <div class="axis" aria-hidden="true">
      {groups.map(({ left, numbers }) => (
        <span style={{ left: `${left}%` }}>{numbers.join('·')}</span>
      ))}
    </div>
  );
}

function Records({ row, ticketId }: { row: ExplainedRow; ticketId: string | number | null }) {
  const { session, ticket, anchors, satisfaction } = row;
  const records = [
    ['Session opened', session?.opened, session?.rule],
    ['Session closed', session?.closed, ''],
    ['Ticket', ticket && { type: 'ticket', id: ticketId }, ticket?.rule],
    ...Object.entries(anchors).map(
      ([name, { record, rule }]) => [pointName(name, row), record, rule] as const,
    ),
    ['Rating', satisfaction.record, satisfaction.rule],
  ] as const;
  return (
    <ul>
      {records
        .filter(([, record, rule]) => record ?? rule)
        .map(([name, record, rule]) => (
          <li>
            <b>{name}</b>
            {record ? ` (${record.type} ${record.id})` : ''} {rule}
          </li>
        ))}
    </ul>
  );
}

export const EXPLANATION_STYLE = `
.lane { display: grid; grid-template-columns: 7.5rem 1fr; gap: .1rem .75rem; align-items: center; margin-top: .6rem; }
.lane h3, .lane p { margin: 0; font-size: inherit; }
.lane p { grid-column: 2; }
.lane span { color: var(--muted); }
.track { position: relative; height: 1.1rem; border-radius: .25rem; background: var(--ground); overflow: hidden; print-color-adjust: exact; }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; }
[data-reason] { background: repeating-linear-gradient(45deg, light-dark(#76828e, #7d8a96) 0 2px, light-dark(#dfe4ea, #333c45) 2px 7px); }
[data-reason=counted] { background: var(--counted); }
.track [data-reason=counted] { min-width: 5px; z-index: 1; }
[data-reason=exception] { background: repeating-linear-gradient(-45deg, var(--holiday) 0 2px, var(--holiday-ground) 2px 7px); }
@media (max-width: 46rem) { .lane { grid-template-columns: 1fr; } .lane p { grid-column: 1; } }
`;
