import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { HintCall } from './hint-call';
import type { Attempt, WebhookEndpointRepository } from './webhook-endpoint.repository';

/** How often the numbers of endpoints are compared with those of the feed, in milliseconds. */
const POLL_MS = 250;

/**
 * The most calls of a process that are under way: those to endpoints that accepted the last hint or are new, and those to endpoints that fail.
 * Each kind has a loop of its own, so that endpoints that hang take neither the places nor the time of the others.
 */
const MAX_CALLS = { active: 1_000, failing: 500 };

type Kind = keyof typeof MAX_CALLS;

/** Organizations of a kind whose attempts are claimed at once. */
const CLAIMS_AT_ONCE = 2;

const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 3_600;

const GONE = 410;

/**
 * Tells endpoints what number the feed has reached. Any process does it for any endpoint: a lease in the endpoint's row keeps two from calling
 * it at once, and ends by itself if the process is killed. An organization has as many calls under way as endpoints.
 */
export class HintSender implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(HintSender.name);
  private readonly stopping = new AbortController();
  private readonly calls = { active: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  private finished: Promise<unknown> = Promise.resolve();
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
    this.finished = Promise.all([this.run('active'), this.run('failing')]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.finished;
    await Promise.all([...this.calls.active, ...this.calls.failing]);
  }

  private async run(kind: Kind): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.sendDue(kind).catch((error: unknown) => this.warn(error));
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async sendDue(kind: Kind): Promise<void> {
    const hasRoom = () => this.calls[kind].size < MAX_CALLS[kind] && !this.stopping.signal.aborted;
    if (!hasRoom()) return;
    const epoch = await this.endpoints.epoch();
    const due = await this.endpoints.due(epoch, kind === 'failing', MAX_CALLS[kind]);
    for (let i = 0; i < due.length && hasRoom(); i += CLAIMS_AT_ONCE) {
      const some = due.slice(i, i + CLAIMS_AT_ONCE);
      await Promise.all(some.map((organizationId) => this.begin(kind, organizationId, epoch)));
    }
  }

  private async begin(kind: Kind, organizationId: string, epoch: string): Promise<void> {
    const calls = this.calls[kind];
    for (const attempt of await this.endpoints.claim(organizationId, epoch, kind === 'failing')) {
      const call = this.make(attempt, epoch)
        // Nothing is noted: when the lease ends, it is sent again.
        .catch((error: unknown) => this.warn(error))
        .finally(() => calls.delete(call));
      calls.add(call);
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
