import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { HintCall } from './hint-call';
import type { Attempt, WebhookEndpointRepository } from './webhook-endpoint.repository';

/** How often the numbers of endpoints are compared with those of the feed, in milliseconds. */
const POLL_MS = 250;

/** The most calls of a process that are under way. Endpoints that failed the last time are called only while fewer than half of them are. */
const MAX_CALLS = 1_000;

/** Organizations whose attempts are claimed before it is looked again which are due; those whose endpoints failed come last. */
const CLAIMS_AT_ONCE = 100;

const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 3_600;

const GONE = 410;

/**
 * Sends endpoints the number that the feed has reached. Any process does it for any endpoint: a lease in the endpoint's row keeps two from calling
 * it at once, and ends by itself if the process is killed. An organization has as many calls under way as endpoints.
 */
export class HintSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(HintSender.name);
  private readonly stopping = new AbortController();
  private readonly calls = new Set<Promise<void>>();
  private finished: Promise<void> = Promise.resolve();
  private readonly sent: Counter;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly call: HintCall,
    registry: Registry,
  ) {
    const registers = [registry];
    this.sent = new Counter({
      name: 'hints_total',
      help: 'Hints by outcome: accepted, or failed, which are sent again',
      labelNames: ['outcome'],
      registers,
    });
    new Gauge({
      name: 'webhook_endpoints',
      help: 'Webhook endpoints of all organizations by status: active, failing, disabled',
      labelNames: ['status'],
      registers,
      async collect() {
        const counts = await endpoints.countByStatus().catch(() => []);
        this.reset();
        for (const { status, count } of counts) this.set({ status }, count);
      },
    });
  }

  onApplicationBootstrap(): void {
    this.finished = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.finished;
    await Promise.all(this.calls);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.sendDue().catch((error: unknown) => this.warn(error));
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sendDue(): Promise<void> {
    const epoch = await this.endpoints.epoch();
    for (const { organizationId, isFailing } of await this.endpoints.due(epoch, CLAIMS_AT_ONCE)) {
      const isFull = this.calls.size >= (isFailing ? MAX_CALLS / 2 : MAX_CALLS);
      if (isFull || this.stopping.signal.aborted) return;
      for (const attempt of await this.endpoints.claim(organizationId, epoch, isFailing)) {
        const call = this.make(attempt, epoch)
          // Nothing is noted: when the lease ends, it is sent again.
          .catch((error: unknown) => this.warn(error))
          .finally(() => this.calls.delete(call));
        this.calls.add(call);
      }
    }
  }

  private async make(attempt: Attempt, epoch: string): Promise<void> {
    const { signal } = this.stopping;
    const outcome = await this.call.send(attempt, attempt, epoch, signal);
    const status = 'status' in outcome ? outcome.status : undefined;
    if (status !== undefined && status >= 200 && status < 300) {
      this.sent.inc({ outcome: 'accepted' });
      return this.endpoints.noteSuccess(attempt, epoch);
    }
    if (status === undefined && signal.aborted) return this.endpoints.release(attempt);
    this.sent.inc({ outcome: 'failed' });
    return this.endpoints.noteFailure(attempt, {
      status: status === GONE || attempt.hasFailedForADay ? 'disabled' : 'failing',
      error: 'error' in outcome ? outcome.error : `the answer was ${outcome.status}`,
      retryAfterSeconds: retryAfterSeconds(attempt.attempts),
    });
  }

  private warn(error: unknown): void {
    if (!this.stopping.signal.aborted) this.logger.warn(`hints are not sent: ${String(error)}`);
  }
}

/** @param attempts that have failed before this one */
export function retryAfterSeconds(attempts: number): number {
  const seconds = Math.min(FIRST_RETRY_SECONDS * 2 ** attempts, LAST_RETRY_SECONDS);
  return seconds * (1 + Math.random() / 5);
}
