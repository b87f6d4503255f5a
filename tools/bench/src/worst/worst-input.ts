import { once } from 'node:events';
import { WebSocket } from 'ws';
import { send, type HttpRequest } from '@cxp/services/http';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import type { Tenant } from '@cxp/services/tenants';
import { importRecords, postRecords, record } from '@cxp/services/workloads';

/** Where an input is prepared: an organization of its own, and a process over the same stores as the one that is measured. */
export interface Place {
  readonly service: ServiceUnderTest;
  readonly tenant: Tenant;
  readonly url: string;
}

/** Status 0: the process sent no complete answer. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
}

/** Sends the input to the process that is measured. `run` numbers what has to be new each time. */
export type Attack = (url: string, run: number) => Promise<Answer>;

/** The most expensive legal input of one kind. */
export interface WorstInput {
  /** What it is sent to, and what it is: `POST /external/sessions: the longest texts`. */
  readonly name: string;
  /** How large it is: at its limit. Without one it can't grow. */
  readonly size?: number;
  readonly prepare: (place: Place, size: number) => Promise<Attack>;
}

type Made = HttpRequest | ((run: number) => HttpRequest);

/** An input that is one request. @param make the request of each run, or the same one for all runs */
export function input(
  name: string,
  make: (place: Place, size: number) => Promise<Made> | Made,
  size?: number,
): WorstInput {
  return {
    name,
    size,
    prepare: async (place, at) => {
      const made = await make(place, at);
      return (url, run) => answerTo(url, typeof made === 'function' ? made(run) : made);
    },
  };
}

export function answerTo(url: string, request: HttpRequest): Promise<Answer> {
  return send(url, request).catch(() => ({ status: 0, bytes: 0 }));
}

export function get(path: string, { tenant }: Place, accept = '*/*'): HttpRequest {
  return { method: 'GET', path, headers: { ...tenant.caller.headers, accept } };
}

/** Lines of record intake. */
export function records({ tenant }: Place, type: string, data: readonly object[]): HttpRequest {
  return postRecords(
    tenant.caller,
    data.map((each) => record(type, each)),
  );
}

/** Stores records through the process that prepares. @param atOnce of one body. @throws when it does not accept them */
export async function store(
  { url, tenant }: Place,
  type: string,
  data: readonly object[],
  atOnce = data.length,
): Promise<void> {
  const all = data.map((each) => record(type, each));
  for (let first = 0; first < all.length; first += atOnce)
    await importRecords(url, tenant.caller, all.slice(first, first + atOnce));
}

export function socketOf(url: string, { tenant }: Place, query = ''): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/sessions/${tenant.sessionId}${query}`, [], {
    headers: { authorization: `Bearer ${tenant.sessionToken}` },
    perMessageDeflate: false,
  });
}

/** Sends a frame; one that is wrong follows it, and is answered after it. */
export async function sendFrame(url: string, place: Place, frame: object): Promise<Answer> {
  const socket = socketOf(url, place);
  await once(socket, 'open');
  socket.send(JSON.stringify(frame));
  socket.send('{}');
  return readUntil(socket, '"type must be');
}

export async function readUntil(socket: WebSocket, last: string): Promise<Answer> {
  let bytes = 0;
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
      if (data.includes(last)) resolve();
    });
  });
  socket.terminate();
  return { status: 101, bytes };
}

export function each<Item>(count: number, make: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** A list of so many elements. */
export function zeros(count: number): number[] {
  return each(count, () => 0);
}
