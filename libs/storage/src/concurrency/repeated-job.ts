import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { pause } from './yield-to-event-loop';

/** At least, in milliseconds: a fault that lasts fills no log. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Runs from the start of a service until it stops, with pauses in between. */
export abstract class RepeatedJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  /** Milliseconds between two runs. */
  protected abstract readonly pauseMs: number;

  protected abstract work(stop: AbortSignal): Promise<void>;

  protected abstract warn(error: unknown): void;

  onApplicationBootstrap(): void {
    this.finished = this.repeat(this.stop);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.finished;
  }

  protected get stop(): AbortSignal {
    return this.stopping.signal;
  }

  private async repeat(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      let { pauseMs } = this;
      await this.work(stop).catch((error: unknown) => {
        this.warn(error);
        pauseMs = Math.max(pauseMs, PAUSE_AFTER_FAILURE_MS);
      });
      await pause(pauseMs, stop);
    }
  }
}
