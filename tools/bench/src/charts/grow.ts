import { reportProgress } from '../progress';
import type { Curve, Dimension, Measurement } from './growth-chart';

export type Figures = Omit<Measurement, 'size'>;

/** Measures one size after the other. @param measure by kind of request */
export async function grow(
  name: string,
  sizes: readonly number[],
  measure: (size: number) => Promise<Record<string, Figures>>,
): Promise<Dimension> {
  const curves = new Map<string, Measurement[]>();
  for (const size of sizes) {
    reportProgress(`${name}: ${size}`);
    for (const [kind, figures] of Object.entries(await measure(size))) {
      curves.set(kind, [...(curves.get(kind) ?? []), { size, ...figures }]);
    }
  }
  const asCurve = ([kind, measurements]: [string, Measurement[]]): Curve => ({ name: kind, measurements });
  return { name, curves: [...curves].map(asCurve) };
}
