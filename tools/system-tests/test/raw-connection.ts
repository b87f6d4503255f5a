import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a server sent until it closed the connection. */
export interface RawAnswer {
  /** 0: it sent nothing. */
  readonly status: number;
  readonly body: unknown;
}

/**
 * Sends bytes as they are, which no HTTP client would, then one more every now and then for as long as the server listens.
 * @param trickle what is sent every `everyMs` milliseconds once the rest is sent; nothing: the client falls silent
 */
export async function sendRaw(
  url: string,
  text: string,
  { trickle = '', everyMs = 1_000 } = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  // A server that has cut the connection resets it when more is sent.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(Buffer.from(text, 'latin1'));
  while (trickle && !(await Promise.race([closed.then(() => true), sleep(everyMs, false)]))) {
    socket.write(trickle);
  }
  await closed;
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    body: body && (JSON.parse(body) as unknown),
  };
}
