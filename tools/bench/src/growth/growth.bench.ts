import { recordGrowth, type ChartedArea } from '../charts/record-growth';
import type { Curve, Dimension, Measurement } from '../charts/growth-chart';
import { planSteps, reportProgress } from '../progress';
import { contactCenterGrowth } from './contact-center-growth';
import type { Figures, GrowingDimension, Growth } from './growth';
import { surveyGrowth } from './survey-growth';
import { webchatGrowth } from './webchat-growth';

const GROWTHS: Readonly<Record<ChartedArea, () => Promise<Growth>>> = {
  webchat: webchatGrowth,
  'contact-center': contactCenterGrowth,
  survey: surveyGrowth,
};

/** Cost as work grows, of what `OF` names: draws the charts. About twenty minutes. */
export async function benchGrowth(): Promise<void> {
  for (const name of process.env.OF?.split(',') ?? Object.keys(GROWTHS)) {
    if (!(name in GROWTHS)) throw new Error(`OF is a list of ${Object.keys(GROWTHS).join(', ')}`);
    const area = name as ChartedArea;
    const { dimensions, stop } = await GROWTHS[area]();
    planSteps(dimensions.reduce((sum, { sizes }) => sum + sizes.length, 0));
    const measured: Dimension[] = [];
    for (const dimension of dimensions) measured.push(await grow(dimension));
    recordGrowth(area, measured);
    await stop();
  }
}

/** Measures one size after the other, and prints what is known after each. */
async function grow({ name, sizes, measure }: GrowingDimension): Promise<Dimension> {
  const curves = new Map<string, Measurement[]>();
  const table: Record<string, Record<string, string>> = {};
  for (const size of sizes) {
    reportProgress(`${name}: ${size}`);
    for (const [kind, figures] of Object.entries(await measure(size))) {
      table[kind] = { ...table[kind], [size.toLocaleString('en')]: describe(figures) };
      if (typeof figures === 'string') continue;
      const { requestsPerSecond, p99Ms } = figures;
      curves.set(kind, [...(curves.get(kind) ?? []), { size, requestsPerSecond, p99Ms }]);
    }
  }
  console.log(name);
  console.table(table);
  return { name, curves: [...curves].map(([kind, measurements]): Curve => ({ name: kind, measurements })) };
}

function describe(figures: Figures | string): string {
  if (typeof figures === 'string') return figures;
  const { requestsPerSecond, p50Ms, p99Ms } = figures;
  const p50 = p50Ms === undefined ? '' : `p50 ${p50Ms} ms, `;
  return `${Math.round(requestsPerSecond)}/s, ${p50}p99 ${Math.round(p99Ms)} ms`;
}
