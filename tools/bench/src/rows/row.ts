import type { HttpRequest } from '@cxp/services/http';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import { rate, type Figures } from '../measure';
import { residentMegabytes } from '../probe';
import type { Caller, Target } from '../target';

/** A line of the table: what is measured of a service, and what it is to be. */
export interface Row<Data> {
  readonly name: string;
  /** Of the figure: a rate (higher is better) or a time or size (lower is better). */
  readonly unit: '/s' | 'ms' | 'MB';
  /** Bounds of the figure itself, or of its ratio to the bare implementation's. */
  readonly aim?: { readonly of: 'figure' | 'bare'; readonly least?: number; readonly most?: number };
  readonly measure: (target: Target, data: Data, round: number) => Promise<Figures>;
  /** What does the same with nothing around it: the bare handler of the suite under the same calls, or something else. */
  readonly bare?: 'handler' | ((target: Target, data: Data, round: number) => Promise<Figures>);
}

/** Rows that share services and data. */
export interface Suite<Data> {
  readonly name: string;
  readonly services: readonly ServiceUnderTest[];
  readonly env?: Readonly<Record<string, string>>;
  /** The bare handlers, below `tools/bench/src`. They run over the database of this revision. */
  readonly bareEntry?: string;
  readonly prepare: (target: Target) => Promise<Data>;
  readonly rows: readonly Row<Data>[];
}

/** Hides the type of a suite's data from those who run it. */
export type AnySuite = Suite<unknown>;

export function suite<Data>(definition: Suite<Data>): AnySuite {
  return definition as AnySuite;
}

/** Size of data and length of loads: smaller for a look, larger for the sizes of the aims. */
export const SECONDS = Number(process.env.SECONDS ?? 3);
export const ROWS = Number(process.env.ROWS ?? 100_000);
export const SOCKETS = Number(process.env.SOCKETS ?? 5_000);
export const CONNECTIONS = 32;

/** Calls/s of a service, 32 under way. */
export function calls<Data>(
  service: ServiceUnderTest,
  name: string,
  next: (data: Data) => HttpRequest,
  { expectedStatus = 200, ...rest }: Partial<Row<Data>> & { readonly expectedStatus?: number } = {},
): Row<Data> {
  return {
    name,
    unit: '/s',
    measure: (target, data) =>
      rate({
        url: target.process(service).url,
        next: () => next(data),
        connections: CONNECTIONS,
        seconds: SECONDS,
        expectedStatus,
      }),
    ...rest,
  };
}

/** What the process of a service has resident. */
export function memory<Data>(service: ServiceUnderTest, name: string, most?: number): Row<Data> {
  return {
    name,
    unit: 'MB',
    aim: most === undefined ? undefined : { of: 'figure', most },
    measure: async (target) => ({ value: await residentMegabytes(target.process(service)) }),
  };
}

export function get(path: string, { headers }: Caller, accept?: string): HttpRequest {
  return { method: 'GET', path, headers: { ...headers, ...(accept && { accept }) } };
}
