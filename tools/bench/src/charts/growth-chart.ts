/** What was measured at one size. */
export interface Measurement {
  /** The number of rows, clients and the like; greater than 0. */
  readonly size: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

/** One kind of request at growing sizes. */
export interface Curve {
  readonly name: string;
  readonly measurements: readonly Measurement[];
}

/** What grows, for instance `stored conversations`, and what that does to each kind of request. */
export interface Dimension {
  readonly name: string;
  readonly curves: readonly Curve[];
}

const PANEL = { width: 250, height: 150 };
const MARGIN = { left: 62, right: 22, top: 26, bottom: 44 };
const LEGEND = { top: 44, lineHeight: 16 };
/** About how wide a character is. */
const CHARACTER_WIDTH = 6;
const CELL = {
  width: PANEL.width + MARGIN.left + MARGIN.right,
  height: PANEL.height + MARGIN.top + MARGIN.bottom,
};

/** Colours that colour-blind people can distinguish (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

/** What an axis shows at least: values of 0 have one, too. */
const LEAST_AXIS = 0.1;

const MEASURES = [
  { name: 'requests/s', of: ({ requestsPerSecond }: Measurement) => requestsPerSecond },
  { name: 'p99 (ms)', of: ({ p99Ms }: Measurement) => p99Ms },
];

type Measure = (typeof MEASURES)[number];

/** How a curve is drawn. When the colours are used up, they come again in dashes. */
interface Style {
  readonly colour: string;
  readonly stroke: string;
}

function styleOf(place: number): Style {
  const colour = COLOURS[place % COLOURS.length]!;
  const dashes = place < COLOURS.length ? '' : ' stroke-dasharray="5 3"';
  return { colour, stroke: `stroke="${colour}" stroke-width="2"${dashes}` };
}

/**
 * An SVG with a column for each dimension: requests/s above, p99 below. Sizes grow to the right on a logarithmic axis; the other
 * axes begin at 0, so that a flat line is a cost that does not grow.
 */
export function growthChart(title: string, dimensions: readonly Dimension[]): string {
  const names = [...new Set(dimensions.flatMap(({ curves }) => curves.map(({ name }) => name)))];
  const styles = new Map(names.map((name, place) => [name, styleOf(place)]));
  const width = CELL.width * dimensions.length;
  const { entries, lines } = legend(styles, width);
  const top = LEGEND.top + LEGEND.lineHeight * lines;
  const height = top + CELL.height * MEASURES.length;
  const panels = dimensions.flatMap((dimension, column) =>
    MEASURES.map((measure, row) =>
      group(CELL.width * column + MARGIN.left, top + CELL.height * row + MARGIN.top, [
        ...panel(dimension, measure, styles),
      ]),
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `role="img" font-family="system-ui, sans-serif" font-size="11" fill="#1c2733">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(MARGIN.left, 22, title, 'font-size="15" font-weight="600"'),
    ...entries,
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

/** In as many lines as the width of the chart makes them. */
function legend(
  styles: ReadonlyMap<string, Style>,
  width: number,
): { readonly entries: string[]; readonly lines: number } {
  let x = MARGIN.left;
  let line = 0;
  const entries = [...styles].map(([name, { stroke }]) => {
    const entryWidth = 44 + name.length * CHARACTER_WIDTH;
    if (x > MARGIN.left && x + entryWidth > width) {
      x = MARGIN.left;
      line += 1;
    }
    const y = LEGEND.top + LEGEND.lineHeight * line;
    const entry = group(x, y, [`<path d="M0 -4h18" ${stroke}/>`, text(24, 0, name)]);
    x += entryWidth;
    return entry;
  });
  return { entries, lines: line + 1 };
}

function* panel({ name, curves }: Dimension, measure: Measure, styles: ReadonlyMap<string, Style>) {
  const all = curves.flatMap(({ measurements }) => measurements);
  const logs = all.map(({ size }) => Math.log10(size));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const x = (size: number) => ((Math.log10(size) - least) / (most - least || 1)) * PANEL.width;
  const greatest = Math.max(...all.map(measure.of), LEAST_AXIS);
  const step = tickStep(greatest);
  const ticks = Math.ceil(greatest / step);
  const y = (value: number) => PANEL.height * (1 - value / (step * ticks));

  yield text(0, -10, measure.name, 'font-weight="600"');
  for (let tick = 0; tick <= ticks; tick++) {
    const at = round(y(tick * step));
    yield `<path d="M0 ${at}h${PANEL.width}" stroke="#d8dee4"/>`;
    yield text(-8, at + 4, number(tick * step), 'text-anchor="end"');
  }
  for (const size of sizesToLabel(all)) {
    yield `<path d="M${round(x(size))} ${PANEL.height}v4" stroke="#1c2733"/>`;
    yield text(round(x(size)), PANEL.height + 17, number(size), 'text-anchor="middle"');
  }
  yield text(PANEL.width / 2, PANEL.height + 34, name, 'text-anchor="middle"');
  for (const { name: curve, measurements } of curves) {
    const { colour, stroke } = styles.get(curve)!;
    const points = [...measurements]
      .sort((a, b) => a.size - b.size)
      .map((one) => ({ x: round(x(one.size)), y: round(y(measure.of(one))), value: measure.of(one) }));
    yield `<path d="M${points.map((point) => `${point.x} ${point.y}`).join('L')}" fill="none" ${stroke}/>`;
    for (const point of points) {
      yield (
        `<circle cx="${point.x}" cy="${point.y}" r="3" fill="${colour}">` +
        `<title>${escape(`${curve}: ${number(point.value)}`)}</title></circle>`
      );
    }
  }
}

/** Every size that was measured, unless their labels would overlap. */
function sizesToLabel(measurements: readonly Measurement[]): number[] {
  const sizes = [...new Set(measurements.map(({ size }) => size))].sort((a, b) => a - b);
  const every = Math.ceil(sizes.length / 5);
  return sizes.filter((_, i) => i % every === 0 || i === sizes.length - 1);
}

/** 1, 2 or 5 times a power of ten, so that an axis has three to seven steps. */
function tickStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 3));
  return [5, 2].map((factor) => factor * power).find((step) => most / step >= 3) ?? power;
}

/** 1500000 as 1.5M. */
function number(value: number): string {
  for (const [unit, size] of [
    ['M', 1e6],
    ['k', 1e3],
  ] as const) {
    if (value >= size) return `${round(value / size)}${unit}`;
  }
  return String(round(value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function group(x: number, y: number, content: readonly string[]): string {
  return [`<g transform="translate(${x} ${y})">`, ...content, '</g>'].join('\n');
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
