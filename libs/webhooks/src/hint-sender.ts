import { Injectable, Logger } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { RepeatedJob, RunsByItself, DAY_MS } from '@cxp/storage';
import { HintCall, type HintOutcome } from './hint-call';
import { type HintState, type HintTarget, WebhookEndpointRepository } from './webhook-endpoint.repository';

/** Concurrent calls of a process. Endpoints that failed the last time get at most half of them. */
const MAX_CALLS = 1_000;

/** Organizations between two polls; those with failing endpoints come last. */
const CLAIMS_AT_ONCE = 100;

const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 3_600;

/** Endpoints that fail for a day are disabled. */

const GONE = 410;

/**
 * Sends the feed's number to endpoints, from any process: claiming an attempt postpones the next one, so attempts never
 * overlap, and another process takes over if this one is killed. An organization has at most one call per endpoint.
 */
@RunsByItself({
  name: 'Hints are sent',
  services: 'B, C',
  pauseMs: 250,
  connections: 'of background work',
  missed: '`hints_total` stops; integrators poll. Log: "hints are not sent"',
})
@Injectable()
export class HintSender extends RepeatedJob {
  private readonly logger = new Logger(HintSender.name);
  private readonly calls = new Set<Promise<void>>();
  private readonly sent: Counter;

  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly call: HintCall,
    registry: Registry,
  ) {
    super();
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

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.all(this.calls);
  }

  protected async work(): Promise<void> {
    const epoch = await this.endpoints.epoch();
    for (const { organizationId, isFailing } of await this.endpoints.due(epoch, CLAIMS_AT_ONCE)) {
      const isFull = this.calls.size >= (isFailing ? MAX_CALLS / 2 : MAX_CALLS);
      if (isFull || this.stop.aborted) return;
      for (const attempt of await this.endpoints.claim(organizationId, epoch, isFailing)) {
        const call = this.make(attempt, epoch)
          // The outcome is not stored, so the next attempt repeats the hint.
          .catch((error: unknown) => this.warn(error))
          .finally(() => this.calls.delete(call));
        this.calls.add(call);
      }
    }
  }

  private async make(attempt: HintTarget, epoch: string): Promise<void> {
    const outcome = await this.call.send(attempt, epoch, this.stop);
    // Nothing was sent: any process repeats the attempt at once.
    if ('error' in outcome && this.stop.aborted) return this.endpoints.settle(attempt, attempt, 0);
    const state = stateAfter(attempt, outcome, epoch);
    const isAccepted = state.status === 'active';
    this.sent.inc({ outcome: isAccepted ? 'accepted' : 'failed' });
    await this.endpoints.settle(attempt, state, isAccepted ? 0 : retryAfterSeconds(attempt.attempts));
  }

  protected warn(error: unknown): void {
    if (!this.stop.aborted) this.logger.warn(`hints are not sent: ${String(error)}`);
  }
}

function stateAfter(attempt: HintTarget, outcome: HintOutcome, epoch: string): HintState {
  if ('status' in outcome && outcome.status >= 200 && outcome.status < 300) {
    const accepted = { toldChange: attempt.change, toldEpoch: epoch };
    return { ...accepted, status: 'active', attempts: 0, failingSince: null, lastError: null };
  }
  const failingSince = attempt.failingSince ?? attempt.attemptedAt;
  const isGivenUp = attempt.attemptedAt.getTime() - failingSince.getTime() >= DAY_MS;
  const isGone = 'status' in outcome && outcome.status === GONE;
  return {
    ...attempt,
    status: isGone || isGivenUp ? 'disabled' : 'failing',
    attempts: attempt.attempts + 1,
    failingSince,
    lastError: 'error' in outcome ? outcome.error : `the answer was ${outcome.status}`,
  };
}

/** @param attempts that failed before */
export function retryAfterSeconds(attempts: number): number {
  const seconds = Math.min(FIRST_RETRY_SECONDS * 2 ** attempts, LAST_RETRY_SECONDS);
  return seconds * (1 + Math.random() / 5);
}
