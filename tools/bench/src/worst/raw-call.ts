import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from '@cxp/services/http';

export interface RawAnswer {
  /** Of the first answer; 0: none came. */
  readonly status: number;
  readonly bytes: number;
}

/** What has no answer by then hangs, in milliseconds. */
const HANGS_MS = 30_000;

/** Makes a call, and counts what comes back without keeping it. */
export async function rawCall(url: string, request: HttpRequest): Promise<RawAnswer> {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname);
  let [status, bytes] = [0, 0];
  socket.on('data', (chunk: Buffer) => {
    status ||= statusOf(chunk);
    bytes += chunk.length;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => true);
  socket.write(textOf(request, 'close'));
  if (!(await Promise.race([closed, sleep(HANGS_MS, false, { ref: false })]))) socket.destroy();
  return { status, bytes };
}

/** Sends the same request many times on one connection without reading more than the first answers, and gives up after some time. */
export async function pipelined(
  url: string,
  request: HttpRequest,
  count: number,
  milliseconds = 2_000,
): Promise<RawAnswer> {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname);
  socket.on('error', () => undefined);
  let answer: RawAnswer = { status: 0, bytes: 0 };
  socket.once('data', (chunk: Buffer) => {
    socket.pause();
    answer = { status: statusOf(chunk), bytes: chunk.length };
  });
  const text = textOf(request, 'keep-alive');
  socket.write(Buffer.concat(Array.from({ length: count }, () => text)));
  await sleep(milliseconds);
  socket.destroy();
  return answer;
}

function statusOf(beginning: Buffer): number {
  return Number(beginning.toString('latin1', 9, 12));
}

function textOf({ method, path, headers = {}, body }: HttpRequest, connection: string): Buffer {
  const content = Buffer.from(body ?? '');
  const all = {
    host: 'bench',
    connection,
    ...headers,
    ...(body !== undefined && { 'content-length': content.length }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
}
