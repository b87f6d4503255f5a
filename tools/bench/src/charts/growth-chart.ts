import { init } from 'echarts';

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

const MEASURES = [
  { name: 'requests/s', field: 'requestsPerSecond' },
  { name: 'p99 (ms)', field: 'p99Ms' },
] as const;

/** A panel with its axes. */
const CELL = { width: 334, height: 230 };
const PANEL = { left: 62, top: 36, width: 250, height: 150 };
const LEGEND = { top: 34, height: 76 };

/** Colours that colour-blind people can distinguish (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];

/** 1500000 as 1.5M. */
const short = new Intl.NumberFormat('en', { notation: 'compact' });
const axisLabel = { formatter: (value: number) => short.format(value) };

/**
 * An SVG with a column for each dimension: requests/s above, p99 below. Sizes grow to the right on a logarithmic axis; the other
 * axes begin at 0, so that a flat line is a cost that does not grow.
 */
export function growthChart(title: string, dimensions: readonly Dimension[]): string {
  const names = [...new Set(dimensions.flatMap(({ curves }) => curves.map(({ name }) => name)))];
  const panels = dimensions.flatMap((dimension, column) =>
    MEASURES.map((measure, row) => ({ dimension, measure, column, row })),
  );
  const top = LEGEND.top + LEGEND.height;
  const width = CELL.width * dimensions.length;
  const height = top + CELL.height * MEASURES.length;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    title: { text: title, left: 0, textStyle: { fontSize: 15 } },
    legend: { top: LEGEND.top, left: 0, itemGap: 24, data: names },
    grid: panels.map(({ column, row }) => ({
      ...PANEL,
      left: CELL.width * column + PANEL.left,
      top: top + CELL.height * row + PANEL.top,
    })),
    xAxis: panels.map(({ dimension: { name, curves } }, gridIndex) => {
      const sizes = curves.flatMap(({ measurements }) => measurements.map(({ size }) => size));
      const range = { min: Math.min(...sizes), max: Math.max(...sizes) };
      return { gridIndex, type: 'log', name, nameLocation: 'middle', nameGap: 26, axisLabel, ...range };
    }),
    yAxis: panels.map(({ measure: { name } }, gridIndex) => ({ gridIndex, name, min: 0, axisLabel })),
    series: panels.flatMap(({ dimension: { curves }, measure: { field } }, panel) =>
      curves.map(({ name, measurements }) => {
        const place = names.indexOf(name);
        return {
          type: 'line',
          name,
          ...{ xAxisIndex: panel, yAxisIndex: panel },
          color: COLOURS[place % COLOURS.length],
          // When the colours are used up, they come again in dashes.
          lineStyle: { type: place < COLOURS.length ? 'solid' : 'dashed' },
          data: measurements.map((one) => [one.size, one[field]]),
        };
      }),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
