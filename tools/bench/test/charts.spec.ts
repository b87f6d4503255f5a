import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { growthChart, type Dimension } from '../src/charts/growth-chart';
import { recordGrowth } from '../src/charts/record-growth';

function dimension(name: string, sizes: readonly number[], requestsPerSecond = 1_000): Dimension {
  const measurements = sizes.map((size) => ({ size, requestsPerSecond, p99Ms: 12.34 }));
  return { name, curves: [{ name: 'create & <reuse>', measurements }] };
}

describe('growthChart', () => {
  it('draws requests/s and p99 of every dimension, and escapes names', () => {
    const svg = growthChart('A', [dimension('rows', [1e4, 1e5, 1e6]), dimension('clients', [1, 256])]);
    expect(svg.match(/<circle/g)).toHaveLength(2 * (3 + 2));
    expect(svg.match(/p99 \(ms\)/g)).toHaveLength(2);
    expect(svg).toContain('create &#38; &#60;reuse&#62;');
    for (const label of ['10k', '100k', '1M', '256', '12.3']) expect(svg).toContain(label);
  });

  it('places sizes by their logarithm, and a value by its share of the axis that begins at 0', () => {
    const svg = growthChart('A', [dimension('rows', [1, 10, 100], 500)]);
    const [first, second, third] = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)];
    expect([first, second, third].map((match) => Number(match![1]))).toEqual([0, 125, 250]);
    // The axis ends at 500, the greatest value.
    expect(Number(first![2])).toBe(0);
  });

  it('has a legend of several lines, and a look of its own for each of many curves', () => {
    const curves = Array.from({ length: 10 }, (_, n) => ({
      name: `a request of kind ${n}`,
      measurements: [{ size: 1, requestsPerSecond: 1, p99Ms: 1 }],
    }));
    const svg = growthChart('A', [{ name: 'rows', curves }]);
    const looks = [...svg.matchAll(/translate\((\d+) (\d+)\)">\n<path d="M0 -4h18" ([^/]*)\/>/g)];
    expect(new Set(looks.map((look) => look[3])).size).toBe(10);
    expect(new Set(looks.map((look) => look[2])).size).toBeGreaterThan(1);
    for (const look of looks) expect(Number(look[1])).toBeLessThan(200);
  });

  it('draws a single size, and values of 0', () => {
    expect(growthChart('A', [dimension('rows', [5], 0)])).not.toMatch(/NaN|Infinity/);
  });
});

describe('recordGrowth', () => {
  it('keeps what was measured of other dimensions and sizes, and replaces the same', () => {
    const directory = mkdtempSync(join(tmpdir(), 'charts-'));
    recordGrowth('webchat', [dimension('rows', [1, 100]), dimension('sockets', [5])], directory);
    recordGrowth('webchat', [dimension('rows', [10, 100], 500)], directory);
    const figures = JSON.parse(readFileSync(join(directory, 'webchat.json'), 'utf8')) as Dimension[];
    const rates = figures.map(({ name, curves }) => [
      name,
      ...curves[0]!.measurements.map(({ size, requestsPerSecond }) => [size, requestsPerSecond]),
    ]);
    expect(rates).toEqual([
      ['rows', [1, 1_000], [10, 500], [100, 500]],
      ['sockets', [5, 1_000]],
    ]);
    expect(readFileSync(join(directory, 'webchat.svg'), 'utf8')).toContain('sockets');
  });
});
