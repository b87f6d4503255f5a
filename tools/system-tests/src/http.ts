import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { Caller } from '@cxp/service-kit/testing';

/** A request as it goes over the wire: the path is sent as it is. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the body. */
  readonly bytes: number;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** What has no answer by then hangs. In milliseconds. */
const HANGS_MS = 30_000;

const kept = new Agent({ keepAlive: true });

/** @throws when the connection breaks before the answer is complete */
export function send(
  url: string,
  { method, path, headers, body }: HttpRequest,
  agent = kept,
): Promise<HttpAnswer> {
  const { hostname, port } = new URL(url);
  // Node.js leaves it out where the method does not ask for a body.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent,
        signal: AbortSignal.timeout(HANGS_MS),
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const content = Buffer.concat(chunks);
          const text = content.toString('utf8');
          const { statusCode, headers } = incoming;
          resolve({ status: statusCode!, headers, bytes: content.length, text, body: parse(text) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function postJson(path: string, { headers }: Pick<Caller, 'headers'>, body: object): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** A record as intake takes it. */
export function record(type: string, data: object): object {
  return { type, data };
}

/** @param caller of record intake */
export function postRecords(
  { headers }: Pick<Caller, 'headers'>,
  records: readonly object[],
): HttpRequest & {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  return {
    method: 'POST',
    path: '/internal/records',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: records.map((record) => JSON.stringify(record)).join('\n'),
  };
}

/** @throws when the service does not accept them all */
export async function importRecords(
  url: string,
  caller: Pick<Caller, 'headers'>,
  records: readonly object[],
): Promise<void> {
  const { status, text } = await send(url, postRecords(caller, records));
  if (status !== 200) throw new Error(text);
}

/** The value of the first series of a metric, as `/metrics` of a service answers it. */
export async function metricOf(url: string, name: string): Promise<number> {
  const { text } = await send(url, { method: 'GET', path: '/metrics' });
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)![1]);
}
