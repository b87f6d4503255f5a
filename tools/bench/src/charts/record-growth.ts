import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { growthChart, type Curve, type Dimension } from './growth-chart';

/** The title of each area's chart; its files are `charts/<area>.svg` and, with the figures, `charts/<area>.json`. */
const TITLES = {
  webchat: 'A: webchat sessions, cost as work grows',
  'contact-center': 'B: conversation sessions, cost as work grows',
  survey: 'C: surveys, cost as work grows',
};

export type ChartedArea = keyof typeof TITLES;

/** Adds what a benchmark has measured to the chart of its area, in place of what was measured of the same sizes before. */
export function recordGrowth(
  area: ChartedArea,
  measured: readonly Dimension[],
  directory = join(workspaceRoot, 'tools', 'bench', 'charts'),
): void {
  const figures = join(directory, `${area}.json`);
  const known = existsSync(figures) ? (JSON.parse(readFileSync(figures, 'utf8')) as Dimension[]) : [];
  const all = mergeByName(known, measured, (before, now) => ({
    ...now,
    curves: mergeByName(before.curves, now.curves, mergeCurves),
  }));
  mkdirSync(directory, { recursive: true });
  writeFileSync(figures, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(join(directory, `${area}.svg`), growthChart(TITLES[area], all));
}

/** @param merge what both have of one name */
function mergeByName<Named extends { readonly name: string }>(
  known: readonly Named[],
  measured: readonly Named[],
  merge: (before: Named, now: Named) => Named,
): Named[] {
  const all = new Map(known.map((one) => [one.name, one]));
  for (const now of measured) {
    const before = all.get(now.name);
    all.set(now.name, before ? merge(before, now) : now);
  }
  return [...all.values()];
}

function mergeCurves(before: Curve, now: Curve): Curve {
  const sizes = new Map([...before.measurements, ...now.measurements].map((one) => [one.size, one]));
  return { ...now, measurements: [...sizes.values()].sort((a, b) => a.size - b.size) };
}
