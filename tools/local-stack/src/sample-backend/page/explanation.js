import { make } from './dom.js';

/** What is drawn of an explanation, in units of its view box. */
const WIDTH = 600;
const LANE = 22;
const MARGIN = 8;
const METRICS = ['waitTime', 'firstResponseTime', 'resolutionTime'];

/** Why the figures of a row are what they are: a timeline, and the same as a list. Focus or hover of a metric marks its span. */
export function explanationOf(row, timezone) {
  const events = eventsOf(row);
  const timeline = timelineOf(row, events);
  return make(
    'figure',
    { className: 'explanation' },
    timeline,
    metricsOf(row, timeline),
    listOf(events, timezone),
  );
}

/** The records and anchors of the row that have a time, in order. */
function eventsOf({ session, anchors, satisfaction }) {
  const points = [
    { name: 'session opens', record: session?.opened, at: session?.opened.at, rule: session?.rule },
    { name: 'session closes', record: session?.closed, at: session?.closed?.at },
    ...Object.entries(anchors).map(([name, anchor]) => ({ name, ...anchor })),
    { name: 'survey', ...satisfaction, at: satisfaction.record?.at },
  ];
  return points.filter(({ at }) => at).sort((a, b) => a.at.localeCompare(b.at));
}

function timelineOf({ metrics }, events) {
  const times = events.map(({ at }) => Date.parse(at));
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const x = (at) => MARGIN + ((Date.parse(at) - start) / Math.max(1, end - start)) * (WIDTH - 2 * MARGIN);
  const y = METRICS.length * LANE + LANE / 2;
  const spans = METRICS.map((name, lane) => {
    const { counted, omitted } = metrics[`${name}BusinessHoursSeconds`];
    const bars = [...counted.map((part) => ({ ...part, reason: 'counted' })), ...omitted].map(
      ({ from, to, reason }) => {
        const box = { x: x(from), y: lane * LANE + 4, width: Math.max(1, x(to) - x(from)), height: LANE - 8 };
        return svg('rect', { ...box, 'data-kind': reason }, svg('title', {}, reason.replace('_', ' ')));
      },
    );
    return svg('g', { 'data-span': name }, ...bars);
  });
  const view = { viewBox: `0 0 ${WIDTH} ${y + LANE / 2}`, role: 'img', 'aria-label': 'Timeline' };
  const line = svg('line', { x1: MARGIN, x2: WIDTH - MARGIN, y1: y, y2: y });
  const points = events.map(({ name, at }) =>
    svg('circle', { cx: x(at), cy: y, r: 5 }, svg('title', {}, name)),
  );
  return svg('svg', view, ...spans, line, ...points);
}

function metricsOf({ metrics }, timeline) {
  const items = METRICS.map((name) => {
    const [calendar, hours] = [metrics[`${name}Seconds`], metrics[`${name}BusinessHoursSeconds`]];
    const figures = `${name}: ${seconds(calendar)}, ${seconds(hours)} in business hours`;
    const mark = ({ type }) =>
      timeline
        .querySelector(`[data-span="${name}"]`)
        .classList.toggle('marked', type === 'focus' || type === 'mouseenter');
    const listeners = { onfocus: mark, onblur: mark, onmouseenter: mark, onmouseleave: mark };
    const rules = ` ${calendar.rule} ${hours.rule}`;
    return make('li', { tabIndex: 0, ...listeners }, make('strong', {}, figures), rules);
  });
  return make('ul', {}, ...items);
}

function listOf(events, timezone) {
  const clock = new Intl.DateTimeFormat([], { timeZone: timezone, timeStyle: 'medium' });
  const items = events.map(({ name, at, record, rule }) => {
    const source = record ? ` (${record.type} ${record.id})` : '';
    const what = make('strong', {}, `${clock.format(new Date(at))} ${name}`);
    return make('li', {}, what, source, rule ? ` ${rule}` : '');
  });
  return make('ol', {}, ...items);
}

function seconds({ seconds: count }) {
  return count === null ? 'none' : `${count} s`;
}

function svg(name, attributes, ...inside) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...inside);
  return made;
}
