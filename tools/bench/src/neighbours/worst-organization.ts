import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long something that was refused or cut waits before it begins again, in milliseconds. */
const AGAIN_MS = 500;

/** Between an answer and the next call, in milliseconds: a client that never pauses measures the processor, not the limits. */
const BETWEEN_CALLS_MS = 100;

/** What an organization does at its worst until it is told to stop. */
export class WorstOrganization {
  private readonly sockets = new Set<Socket>();
  private readonly loops: Promise<void>[] = [];
  private isOver = false;

  constructor(private readonly headers: Readonly<Record<string, string>>) {}

  /** Asks for something large, and does not read it. */
  stallReading(count: number, url: string, method: string, path: string, accept: string): void {
    this.repeat(count, () =>
      this.open(url, `${method} ${path}`, { accept, 'content-length': '0' }, (socket) => socket.pause()),
    );
  }

  /** Sends the beginning of a body, and then a byte every now and then. */
  dripBody(count: number, url: string, path: string, beginning: string): void {
    const headers = { 'content-type': 'application/x-ndjson', 'content-length': '100000000' };
    this.repeat(count, () =>
      this.open(url, `POST ${path}`, headers, (socket) => {
        socket.write(beginning);
        const dripping = setInterval(() => socket.write(' '), 1_000);
        socket.once('close', () => clearInterval(dripping));
        socket.resume();
      }),
    );
  }

  /** Makes a call again soon after it was answered. */
  call(count: number, call: () => Promise<unknown>, pauseMs = BETWEEN_CALLS_MS): void {
    this.repeat(count, async () => {
      await call().catch(() => undefined);
      await sleep(pauseMs);
    });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    for (const socket of this.sockets) socket.destroy();
    await Promise.all(this.loops);
  }

  private repeat(count: number, use: () => Promise<void>): void {
    for (let i = 0; i < count; i++) {
      this.loops.push(
        (async () => {
          while (!this.isOver) await use();
        })(),
      );
    }
  }

  /** @returns when the connection is closed, and after a pause */
  private async open(
    url: string,
    requestLine: string,
    headers: Readonly<Record<string, string>>,
    use: (socket: Socket) => void,
  ): Promise<void> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    this.sockets.add(socket);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    const lines = Object.entries({ host: hostname, connection: 'close', ...this.headers, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`${requestLine} HTTP/1.1\r\n${head}\r\n`);
    use(socket);
    await closed;
    this.sockets.delete(socket);
    if (!this.isOver) await sleep(AGAIN_MS);
  }
}
