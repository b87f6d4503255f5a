import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from '@cxp/services/http';

export interface RawAnswer {
  /** Of the first answer; 0: none came. */
  readonly status: number;
  readonly bytes: number;
}

/** A connection that errors only close. */
export interface RawSocket {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
}

/** What has no answer by then hangs, in milliseconds. */
const HANGS_MS = 30_000;

/** Makes a call, and counts what comes back without keeping it. */
export async function rawCall(url: string, request: HttpRequest): Promise<RawAnswer> {
  const { socket, closed } = openRaw(url);
  let [status, bytes] = [0, 0];
  socket.on('data', (chunk: Buffer) => {
    status ||= statusOf(chunk);
    bytes += chunk.length;
  });
  socket.write(textOf(request, 'close'));
  const isClosed = closed.then(() => true);
  if (!(await Promise.race([isClosed, sleep(HANGS_MS, false, { ref: false })]))) socket.destroy();
  return { status, bytes };
}

export function openRaw(url: string): RawSocket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return { socket, closed: once(socket, 'close') };
}

function statusOf(beginning: Buffer): number {
  return Number(beginning.toString('latin1', 9, 12));
}

/** A request as it is sent. Its own headers may name another length. */
export function textOf({ method, path, headers = {}, body }: HttpRequest, connection: string): Buffer {
  const content = Buffer.from(body ?? '');
  const length = body !== undefined && { 'content-length': content.length };
  const lines = Object.entries({ host: 'bench', connection, ...length, ...headers })
    .map(([name, value]) => `${name}: ${String(value)}\r\n`)
    .join('');
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines}\r\n`), content]);
}
