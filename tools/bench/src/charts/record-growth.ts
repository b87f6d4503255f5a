import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { growthChart, type Dimension } from './growth-chart';

/** The title of each area's chart; its files are `charts/<area>.svg` and, with the figures, `charts/<area>.json`. */
const TITLES = {
  webchat: 'A: webchat sessions, cost as work grows',
  'contact-center': 'B: conversation sessions, cost as work grows',
  survey: 'C: surveys, cost as work grows',
};

export type ChartedArea = keyof typeof TITLES;

/** Adds what a benchmark has measured to the chart of its area, in place of what was measured of the same dimension before. */
export function recordGrowth(
  area: ChartedArea,
  measured: readonly Dimension[],
  directory = join(workspaceRoot, 'tools', 'bench', 'charts'),
): void {
  const figures = join(directory, `${area}.json`);
  const known = existsSync(figures) ? (JSON.parse(readFileSync(figures, 'utf8')) as Dimension[]) : [];
  const dimensions = new Map([...known, ...measured].map((dimension) => [dimension.name, dimension]));
  const all = [...dimensions.values()];
  mkdirSync(directory, { recursive: true });
  writeFileSync(figures, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(join(directory, `${area}.svg`), growthChart(TITLES[area], all));
}
