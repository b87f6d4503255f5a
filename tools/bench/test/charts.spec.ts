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
    for (const text of ['requests/s', 'p99 (ms)', 'rows', 'clients'])
      expect(svg.split(`>${text}</text>`)).toHaveLength(1 + 2);
    expect(svg).toContain('create &amp; &lt;reuse&gt;');
    for (const label of ['10K', '100K', '1M', '256']) expect(svg).toContain(`>${label}</text>`);
  });

  it('places sizes by their logarithm, and values on an axis that begins at 0', () => {
    const svg = growthChart('A', [dimension('rows', [1, 10, 100], 500)]);
    const [first, second, third] = [...svg.matchAll(/transform="matrix\(3,0,0,3,([\d.]+),/g)].map(([, x]) =>
      Number(x),
    );
    expect(second! - first!).toBeCloseTo(third! - second!);
    const lines = [...svg.matchAll(/>0<\/text>/g)];
    expect(lines).toHaveLength(2);
  });

  it('has a look of its own for each of many curves', () => {
    const curves = Array.from({ length: 10 }, (_, n) => ({
      name: `a request of kind ${n}`,
      measurements: [
        { size: 1, requestsPerSecond: 1, p99Ms: 1 },
        { size: 2, requestsPerSecond: 2, p99Ms: 2 },
      ],
    }));
    const svg = growthChart('A', [{ name: 'rows', curves }]);
    const looks = [...svg.matchAll(/<path [^>]*(stroke="#\w+") [^>]*stroke-linejoin="bevel"[^>]*>/g)];
    expect(new Set(looks.map(([path, colour]) => `${colour} ${path.includes('dasharray')}`)).size).toBe(10);
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
