import { connect, type Socket } from 'node:net';
import { send, type HttpRequest } from '../src/http';

const TRICKLE_MS = 500;

/** Requests of a connection: all of them together are within the bound of a process. */
const PIPELINED = 15;

/** Connections on which requests are sent again and again, which are read; the first sends far too many. */
const PIPELINES = 4;

/** The same, never read. */
const NEVER_READ = 20;

/** Connections whose requests are in work. */
export const IN_WORK = PIPELINES + NEVER_READ;

/** Clients that harm by how they send and read. They go on until they are stopped. */
export class HostileConnections {
  private readonly sockets = new Set<Socket>();
  private readonly trickle: NodeJS.Timeout;
  private isOver = false;

  /** @param sound a request that the service answers with success */
  constructor(
    private readonly url: string,
    sound: HttpRequest,
  ) {
    const { method, path, headers, body = '' } = sound;
    const head = [`${method} ${path} HTTP/1.1`, 'Host: test'];
    for (const header of Object.entries(headers ?? {})) head.push(header.join(': '));
    const whole = [...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
    const post = [...head, 'Content-Length: 1000', '', '{'].join('\r\n');
    this.again(() => this.open(whole.repeat(20_000)).resume());
    for (let i = 1; i < PIPELINES; i++) this.again(() => this.open(whole.repeat(PIPELINED)).resume());
    for (let i = 0; i < NEVER_READ; i++) this.open(whole.repeat(PIPELINED)).pause();
    const slow = Array.from({ length: 80 }, (_, i) =>
      this.open(i % 2 ? post : 'GET /external HTTP/1.1\r\nX: '),
    );
    for (let i = 0; i < 40; i++) {
      this.open('');
      this.open(whole).end();
    }
    this.trickle = setInterval(() => slow.forEach((socket) => socket.write(' ')), TRICKLE_MS);
  }

  stop(): void {
    this.isOver = true;
    clearInterval(this.trickle);
    for (const socket of this.sockets) socket.destroy();
  }

  private again(open: () => Socket): void {
    open().once('close', () => {
      if (!this.isOver) this.again(open);
    });
  }

  private open(text: string): Socket {
    const { hostname, port } = new URL(this.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
    if (text) socket.write(text);
    return socket;
  }
}

/** An ordinary client that calls again as soon as it has its answer. @returns ends it */
export function callWithoutPause(url: string, request: HttpRequest): () => Promise<void> {
  let isOver = false;
  const calls = (async () => {
    while (!isOver) await send(url, request);
  })();
  return () => {
    isOver = true;
    return calls;
  };
}
