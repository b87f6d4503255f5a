import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from '@cxp/services/http';
import { openRaw, textOf, type RawSocket } from '../worst/raw-call';

/** How long something that was refused or cut waits before it begins again, in milliseconds. */
const AGAIN_MS = 500;

/** What an organization does at its worst until it is told to stop. */
export class WorstOrganization {
  private readonly sockets = new Set<RawSocket>();
  private readonly loops: Promise<void>[] = [];
  private isOver = false;

  /** Asks for something large, and does not read it. */
  stallReading(count: number, url: string, request: HttpRequest): void {
    this.repeat(count, () => this.open(url, request, ({ socket }) => socket.pause()));
  }

  /** Sends the beginning of a body, and then a byte every now and then. */
  dripBody(count: number, url: string, request: HttpRequest): void {
    this.repeat(count, () =>
      this.open(url, request, ({ socket, closed }) => {
        const dripping = setInterval(() => socket.write(' '), 1_000);
        void closed.then(() => clearInterval(dripping));
        socket.resume();
      }),
    );
  }

  /** Makes a call again soon after it was answered: a client that never pauses measures the processor, not the limits. */
  call(count: number, call: () => Promise<unknown>, pauseMs = 100): void {
    this.repeat(count, async () => {
      await call().catch(() => undefined);
      await sleep(pauseMs);
    });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    for (const { socket } of this.sockets) socket.destroy();
    await Promise.all(this.loops);
  }

  private repeat(count: number, use: () => Promise<void>): void {
    const loop = async () => {
      while (!this.isOver) await use();
    };
    this.loops.push(...Array.from({ length: count }, loop));
  }

  /** @returns when the connection is closed, and after a pause */
  private async open(url: string, request: HttpRequest, use: (opened: RawSocket) => void): Promise<void> {
    const opened = openRaw(url);
    this.sockets.add(opened);
    opened.socket.write(textOf(request, 'close'));
    use(opened);
    await opened.closed;
    this.sockets.delete(opened);
    if (!this.isOver) await sleep(AGAIN_MS);
  }
}
