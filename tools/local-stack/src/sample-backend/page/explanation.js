/** What is drawn of an explanation, in units of its view box. */
const WIDTH = 600;
const LANE = 22;
const MARGIN = 8;
const METRICS = ['waitTime', 'firstResponseTime', 'resolutionTime'];

/** Why the figures of a row are what they are: a timeline, and the same as a list. Focus or hover of a metric marks its span. */
export function explanationOf(row, timezone) {
  const events = eventsOf(row);
  const figure = document.createElement('figure');
  figure.className = 'explanation';
  figure.append(timelineOf(row, events), metricsOf(row, figure), listOf(events, timezone));
  return figure;
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
  const height = (METRICS.length + 1) * LANE;
  const svg = svgElement('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': 'Timeline' });
  METRICS.forEach((name, lane) => {
    const { counted, omitted } = metrics[`${name}BusinessHoursSeconds`];
    const bars = [
      ...counted.map((part) => ({ ...part, kind: 'counted' })),
      ...omitted.map((part) => ({ ...part, kind: part.reason })),
    ];
    const group = svgElement('g', { 'data-span': name });
    for (const { from, to, kind } of bars) {
      const [left, right] = [x(from), x(to)];
      const box = { x: left, y: lane * LANE + 4, width: Math.max(1, right - left), height: LANE - 8 };
      group.append(titled(svgElement('rect', { ...box, 'data-kind': kind }), kind.replace('_', ' ')));
    }
    svg.append(group);
  });
  const y = METRICS.length * LANE + LANE / 2;
  svg.append(svgElement('line', { x1: MARGIN, x2: WIDTH - MARGIN, y1: y, y2: y }));
  for (const { name, at } of events)
    svg.append(titled(svgElement('circle', { cx: x(at), cy: y, r: 5 }), name));
  return svg;
}

function metricsOf({ metrics }, figure) {
  const list = document.createElement('ul');
  for (const name of METRICS) {
    const [calendar, hours] = [metrics[`${name}Seconds`], metrics[`${name}BusinessHoursSeconds`]];
    const item = document.createElement('li');
    item.tabIndex = 0;
    item.append(
      strong(`${name}: ${seconds(calendar)}, ${seconds(hours)} in business hours`),
      ` ${calendar.rule} ${hours.rule}`,
    );
    const mark = (isMarked) =>
      figure.querySelector(`[data-span="${name}"]`).classList.toggle('marked', isMarked);
    for (const type of ['focus', 'mouseenter']) item.addEventListener(type, () => mark(true));
    for (const type of ['blur', 'mouseleave']) item.addEventListener(type, () => mark(false));
    list.append(item);
  }
  return list;
}

function listOf(events, timezone) {
  const list = document.createElement('ol');
  const clock = new Intl.DateTimeFormat([], { timeZone: timezone, timeStyle: 'medium' });
  for (const { name, at, record, rule } of events) {
    const item = document.createElement('li');
    const source = record ? ` (${record.type} ${record.id})` : '';
    item.append(strong(`${clock.format(new Date(at))} ${name}`), source, rule ? ` ${rule}` : '');
    list.append(item);
  }
  return list;
}

function seconds({ seconds: count }) {
  return count === null ? 'none' : `${count} s`;
}

function strong(text) {
  return Object.assign(document.createElement('strong'), { textContent: text });
}

function titled(element, text) {
  element.append(Object.assign(svgElement('title'), { textContent: text }));
  return element;
}

function svgElement(name, attributes = {}) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}
