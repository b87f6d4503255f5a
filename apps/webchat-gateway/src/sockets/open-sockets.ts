import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { CLOSE_REASONS } from './close-reasons';
import type { SessionSocket } from './session-socket';

const TICK_MS = 1_000;

/** How long clients may take to answer that they were sent elsewhere. */
const FAREWELL_MS = 2_000;

/** The sockets of this process. One clock for all of them: a timer of its own for each would cost more than the rest. */
@Injectable()
export class OpenSockets implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly sockets = new Set<SessionSocket>();
  private readonly closed: Counter;
  private clock: NodeJS.Timeout | undefined;

  constructor(@Inject(Registry) registry: Registry) {
    const { sockets } = this;
    new Gauge({
      name: 'webchat_sockets',
      help: 'Open sockets',
      registers: [registry],
      collect() {
        this.set(sockets.size);
      },
    });
    this.closed = new Counter({
      name: 'webchat_sockets_closed_total',
      help: 'Sockets that were closed, by close code',
      labelNames: ['code'],
      registers: [registry],
    });
  }

  add(socket: SessionSocket): void {
    this.sockets.add(socket);
  }

  delete(socket: SessionSocket, code: number): void {
    if (this.sockets.delete(socket)) this.closed.inc({ code });
  }

  /** Does what is due for each socket. */
  tick(nowMs: number): void {
    for (const socket of this.sockets) socket.tick(nowMs);
  }

  onApplicationBootstrap(): void {
    this.clock = setInterval(() => this.tick(Date.now()), TICK_MS);
  }

  /** Sends every client elsewhere; what they sent before is stored and acknowledged first. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.clock);
    await Promise.all(
      [...this.sockets].map(async (socket) => {
        await socket.settled();
        socket.close(CLOSE_REASONS.serviceRestart);
      }),
    );
    // The server cuts off what is still there when this returns, and with it close frames that are on their way.
    const deadline = Date.now() + FAREWELL_MS;
    while (this.sockets.size > 0 && Date.now() < deadline) await sleep(10);
  }
}
