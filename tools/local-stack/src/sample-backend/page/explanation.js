import { listOfTerms, make } from './dom.js';

const METRICS = { waitTime: 'Waiting', firstResponseTime: 'First response', resolutionTime: 'Until solved' };
/** What the anchors of a row are called here. */
const POINTS = {
  botHandoffAt: 'Handed to the team',
  firstAgentAssignedAt: 'Agent assigned',
  firstAgentMessageAt: 'First answer',
  lastAgentMessageAt: 'Last answer',
  conversationResolvedAt: 'Solved',
};
const REASONS = {
  closed: 'closed',
  exception: 'holiday',
  no_schedule: 'no business hours are known',
  out_of_range: 'outside the calendar',
};

/** @returns how long the customer of a row has waited for an answer, as a question */
export function questionOf({ metrics }) {
  const { seconds } = metrics.waitTimeSeconds;
  return seconds === null ? 'Why is there no answer yet?' : `Why ${duration(seconds)}?`;
}

/** Why the figures of a row are what they are: its metrics as bars of one timeline, and the points that they are counted from. */
export function explanationOf(row, fields, timezone) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: timezone, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  const timeOf = (at) => clock.format(new Date(at));
  const points = pointsOf(row);
  const times = points.map(({ at }) => Date.parse(at));
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const place = (at) => ((Date.parse(at) - start) / Math.max(1, end - start)) * 100;
  return make(
    'article',
    { className: 'explanation' },
    make('p', { className: 'who' }, `${fields.sessionAgentName || 'No agent'} · times in ${timezone}`),
    ...Object.keys(METRICS).map((name) => lane(name, row.metrics, place, timeOf)),
    axis(points, place),
    make(
      'ol',
      { className: 'points' },
      ...points.map(({ name, at }) => make('li', {}, make('b', {}, name), ` ${timeOf(at)}`)),
    ),
    details(row, fields),
  );
}

/** The anchors of the row that have a time, in order. */
function pointsOf({ anchors, satisfaction }) {
  const points = Object.entries(anchors).map(([name, { at }]) => ({ name: POINTS[name], at }));
  points.push({ name: 'Rating', at: satisfaction.record?.at });
  return points.filter(({ at }) => at).sort((a, b) => a.at.localeCompare(b.at));
}

function lane(name, metrics, place, timeOf) {
  const [calendar, hours] = [metrics[`${name}Seconds`], metrics[`${name}BusinessHoursSeconds`]];
  const parts = [...hours.counted.map((part) => ({ ...part, reason: 'counted' })), ...hours.omitted].sort(
    (a, b) => a.from.localeCompare(b.from),
  );
  const bars = parts.map(({ from, to, reason }) => {
    const bar = make('i', {});
    bar.dataset.reason = reason;
    bar.style.left = `${place(from)}%`;
    bar.style.width = `${Math.max(0.4, place(to) - place(from))}%`;
    return bar;
  });
  const isKnown = calendar.seconds !== null;
  const spoken = parts.map(
    ({ from, to, reason }) =>
      `${reason === 'counted' ? 'business hours' : REASONS[reason]} from ${timeOf(from)} to ${timeOf(to)}`,
  );
  const track = make('div', { className: 'track' }, ...bars);
  track.setAttribute('role', 'img');
  track.setAttribute('aria-label', `${METRICS[name]}: ${spoken.join(', ') || 'not known'}`);
  const sentence = isKnown
    ? `From “${POINTS[calendar.from]}” to “${POINTS[calendar.to]}”.`
    : 'Not known: one of its two points is missing.';
  const inHours =
    hours.seconds === null ? 'no business hours' : `${duration(hours.seconds)} in business hours`;
  const figure = isKnown ? [make('b', {}, inHours), ` of ${duration(calendar.seconds)}.`] : [];
  const made = make(
    'section',
    { className: 'lane' },
    make('h3', {}, METRICS[name]),
    track,
    make('p', {}, ...figure, make('span', {}, ` ${sentence}`)),
  );
  made.dataset.span = name;
  return made;
}

/** The points as numbers below the bars; those that are too near to each other share a place. */
function axis(points, place) {
  const groups = [];
  for (const [index, { at }] of points.entries()) {
    const left = place(at);
    const last = groups.at(-1);
    if (last && left - last.left < 6) last.numbers.push(index + 1);
    else groups.push({ left, numbers: [index + 1] });
  }
  const marks = groups.map(({ left, numbers }) => {
    const mark = make('span', {}, numbers.join('·'));
    mark.style.left = `${left}%`;
    return mark;
  });
  const made = make('div', { className: 'axis' }, ...marks);
  made.setAttribute('aria-hidden', 'true');
  return made;
}

function details({ session, ticket, anchors, satisfaction }, fields) {
  const records = [
    ['Session opened', session?.opened, session?.rule],
    ['Session closed', session?.closed],
    ['Ticket', ticket && { type: 'ticket', id: fields.ticketId }, ticket?.rule],
    ...Object.entries(anchors).map(([name, { record, rule }]) => [POINTS[name], record, rule]),
    ['Rating', satisfaction.record, satisfaction.rule],
  ];
  const items = records.map(([name, record, rule]) => {
    const source = record ? ` (${record.type} ${record.id})` : '';
    return make('li', {}, make('b', {}, name), source, rule ? ` ${rule}` : '');
  });
  return make(
    'details',
    {},
    make('summary', {}, 'The row of the export, and the records that it is made of'),
    listOfTerms(fields),
    make('ul', {}, ...items),
  );
}

export function duration(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  const rest = seconds % 60;
  if (minutes === 0) return rest === 1 ? '1 second' : `${rest} seconds`;
  if (rest > 0 && minutes < 10) return `${minutes} min ${rest} s`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
