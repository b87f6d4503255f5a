import type { DataSource } from 'typeorm';
import type { HttpRequest } from '@cxp/services/http';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import type { Tenant } from '@cxp/services/tenants';
import { postJson, postRecords } from '@cxp/services/workloads';
import { LIMITS } from './limits';
import { pipelined, rawCall, type RawAnswer } from './raw-call';

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

type Made = HttpRequest | ((run: number) => HttpRequest);

/** An input that is one request. */
export function input(
  what: string,
  make: (place: Place, size: number) => Promise<Made> | Made,
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

/** An input that is the same request many times on a connection that nobody reads. */
export function unread(request: HttpRequest): WorstInput {
  return { what: '2000 pipelined, unread', prepare: async () => (url) => pipelined(url, request, 2_000) };
}

export function get(path: string, place?: Place, accept = '*/*'): HttpRequest {
  return { method: 'GET', path, headers: { ...place?.tenant.caller.headers, accept } };
}

export function post(path: string, { tenant }: Place, body: object): HttpRequest {
  return postJson(path, tenant.caller, body);
}

/** An input that is a JSON body. */
export function bodyInput(
  what: string,
  path: (place: Place) => string,
  body: (run: number, place: Place, size: number) => object,
  size?: number,
): WorstInput {
  return input(what, (place, at) => (run) => post(path(place), place, body(run, place, at)), size);
}

/** An input that is records of one type. */
export function recordsInput(
  what: string,
  type: string,
  data: (run: number, place: Place, size: number) => readonly object[],
  size?: number,
): WorstInput {
  return input(what, (place, at) => (run) => records(place, type, data(run, place, at)), size);
}

export function crowdedRecord(type: string, data: (run: number) => object): WorstInput {
  const crowded = (run: number, _: Place, size: number) => [{ ...data(run), unknown: zeros(size) }];
  return recordsInput('a record of as many values as it may hold', type, crowded, LIMITS.values);
}

export function manyRecords(
  type: string,
  data: (run: number, n: number, place: Place) => object,
): WorstInput {
  const all = (run: number, place: Place, size: number) => each(size, (n) => data(run, n, place));
  return recordsInput('a body of many records', type, all, 20_000);
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

/** Members that no schema knows, so many. */
export function unknownMembers(count: number): Record<string, number> {
  return Object.fromEntries(each(count, (n) => [`x${n.toString(36)}`, 0]));
}

/** A list of so many elements. */
export function zeros(count: number): number[] {
  return each(count, () => 0);
}

/** So many bytes of text. */
export function text(bytes: number): string {
  return 'ế'.repeat(Math.floor(bytes / 3));
}

/** A query that is as long as a URL may be. */
export function repeated(bytes: number, part: (n: number) => string): string {
  const parts: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    parts.push(part(n));
    length += parts.at(-1)!.length + 1;
  }
  return parts.join(',');
}
