import type { Measurement } from '../charts/growth-chart';
import { runLoad, type Load } from '../load';

export interface Figures extends Omit<Measurement, 'size'> {
  readonly p50Ms?: number;
}

/** Something that grows, and what is measured at each size. */
export interface GrowingDimension {
  readonly name: string;
  readonly sizes: readonly number[];
  /** @returns by kind of request; a text is printed and not drawn */
  readonly measure: (size: number) => Promise<Record<string, Figures | string>>;
}

/** A stack with data, measured until it is stopped. */
export interface Growth {
  readonly dimensions: readonly GrowingDimension[];
  readonly stop: () => Promise<void>;
}

/** Sizes of a benchmark, in place of the usual ones: `<variable>=10,100`. */
export function sizesOf(variable: string, usual: readonly number[]): readonly number[] {
  return process.env[variable]?.split(',').map(Number) ?? usual;
}

/** Measures kinds of requests, one after the other. */
export async function measureRequests(
  load: Omit<Load, 'nextRequest'>,
  requests: Readonly<Record<string, Load['nextRequest']>>,
): Promise<Record<string, Figures>> {
  const figures: Record<string, Figures> = {};
  for (const [name, nextRequest] of Object.entries(requests)) {
    figures[name] = await runLoad({ ...load, nextRequest });
  }
  return figures;
}
