import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@cxp/services/http';

const PAUSE_MS = 50;

interface ControlCall {
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Asks a process again and again whether it is alive, which needs no store: what that takes is the machine's part of whatever the process
 * answers at the same time.
 */
export class LiveControl {
  private readonly calls: ControlCall[] = [];
  private stopping = false;
  private readonly asking: Promise<void>;

  constructor(private readonly url: string) {
    this.asking = this.ask();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.asking;
  }

  /** The longest call, in milliseconds, of those that were under way in a time, by `performance.now()`. */
  slowest(from: number, to: number): number {
    const times = this.calls
      .filter(({ startedAt, endedAt }) => startedAt <= to && endedAt >= from)
      .map(({ startedAt, endedAt }) => endedAt - startedAt);
    return Math.max(0, ...times);
  }

  private async ask(): Promise<void> {
    while (!this.stopping) {
      const startedAt = performance.now();
      await send(this.url, { method: 'GET', path: '/health/live' }).catch(() => undefined);
      this.calls.push({ startedAt, endedAt: performance.now() });
      await sleep(PAUSE_MS);
    }
  }
}
