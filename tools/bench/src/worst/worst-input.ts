import type { DataSource } from 'typeorm';
import type { HttpRequest } from '@cxp/services/http';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import type { Tenant } from '@cxp/services/tenants';
import { postRecords } from '@cxp/services/workloads';
import { rawCall, type RawAnswer } from './raw-call';

/** Where an input is prepared: an organization of its own, and a process over the same stores as the one that is measured. */
export interface Place {
  readonly service: ServiceUnderTest;
  readonly tenant: Tenant;
  readonly url: string;
  readonly dataSource: DataSource;
}

/** Sends the input to the process that is measured. `run` numbers what has to be new each time. */
export type Attack = (url: string, run: number) => Promise<RawAnswer>;

/** The most expensive legal input of one kind. */
export interface WorstInput {
  readonly what: string;
  /** How large it is: at its limit. Without one it can't grow. */
  readonly size?: number;
  readonly prepare: (place: Place, size: number) => Promise<Attack>;
}

/** By what it is sent to: `GET /external/…`, `record ticket`, `frame typing`. */
export type WorstInputs = Readonly<Record<string, readonly WorstInput[]>>;

/** An input that is one request. @param make the request of each run, or the same one for all runs */
export function input(
  what: string,
  make: (
    place: Place,
    size: number,
  ) => Promise<HttpRequest | ((run: number) => HttpRequest)> | HttpRequest | ((run: number) => HttpRequest),
  size?: number,
): WorstInput {
  return {
    what,
    size,
    prepare: async (place, at) => {
      const made = await make(place, at);
      return (url, run) => rawCall(url, typeof made === 'function' ? made(run) : made);
    },
  };
}

/** What is answered without credentials. */
export function open(path: string): WorstInput {
  return input('the answer', () => get(path));
}

export function get(path: string, place?: Place, accept = '*/*'): HttpRequest {
  return { method: 'GET', path, headers: { ...place?.tenant.caller.headers, accept } };
}

/** Lines of record intake. */
export function records({ tenant }: Place, type: string, data: readonly object[]): HttpRequest {
  return postRecords(
    tenant.caller,
    data.map((each) => ({ type, data: each })),
  );
}

/** Stores records through the process that prepares. @param atOnce of one body. @throws when it does not accept them */
export async function store(
  place: Place,
  type: string,
  data: readonly object[],
  atOnce = data.length,
): Promise<void> {
  for (let first = 0; first < data.length; first += atOnce) {
    const { status } = await rawCall(place.url, records(place, type, data.slice(first, first + atOnce)));
    if (status !== 200) throw new Error(`${data.length} records of ${type}: status ${status}`);
  }
}

export function each<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** A list of so many elements. */
export function zeros(count: number): number[] {
  return each(count, () => 0);
}
