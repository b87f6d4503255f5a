import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { pause } from './yield-to-event-loop';

/** At least, in milliseconds: a fault that lasts fills no log. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** What an operator has to know of a job: a line of the table in docker/README.md. */
export interface JobDescription {
  readonly name: string;
  /** The services whose processes have it. */
  readonly services: string;
  /** Milliseconds between two runs. */
  readonly pauseMs: number;
  readonly connections: 'of background work' | 'of requests' | 'none';
  /** What an operator sees while it does not run. */
  readonly missed: string;
}

type Job = abstract new (...values: never[]) => RepeatedJob;

/** Of all jobs whose modules are loaded. */
export const jobDescriptions = new Map<Job, JobDescription>();

/** Each job has one. */
export function RunsByItself(description: JobDescription) {
  return (job: Job): void => void jobDescriptions.set(job, description);
}

/** Runs from the start of a service until it stops, with pauses in between. */
export abstract class RepeatedJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  protected pauseMs: number;

  /** @throws Error for a job that no operator knows of */
  constructor() {
    const description = jobDescriptions.get(new.target);
    if (!description) throw new Error(`${new.target.name} needs @RunsByItself`);
    this.pauseMs = description.pauseMs;
  }

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
      const isFailed = await this.work(stop).then(
        () => false,
        (error: unknown) => {
          this.warn(error);
          return true;
        },
      );
      await pause(isFailed ? Math.max(this.pauseMs, PAUSE_AFTER_FAILURE_MS) : this.pauseMs, stop);
    }
  }
}
