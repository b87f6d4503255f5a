import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import { pause } from '@cxp/storage';
import { HintCall, type HintOutcome } from './hint-call';
import { type HintState, type HintTarget, WebhookEndpointRepository } from './webhook-endpoint.repository';

/** How often the numbers of endpoints are compared with those of the feed, in milliseconds. */
const POLL_MS = 250;

/** The pause after they could not be compared, in milliseconds. */
const FAILURE_PAUSE_MS = 1_000;

/** The most calls of a process that are under way. Endpoints that failed the last time are called only while fewer than half of them are. */
const MAX_CALLS = 1_000;

/** Organizations whose attempts are claimed before it is looked again which are due; those whose endpoints failed come last. */
const CLAIMS_AT_ONCE = 100;

const FIRST_RETRY_SECONDS = 5;
const LAST_RETRY_SECONDS = 3_600;

/** An endpoint that has failed for so long is disabled. */
const DAY_MS = 24 * 3_600_000;

const GONE = 410;

/**
 * Sends endpoints the number that the feed has reached. Any process does it for any endpoint: an attempt puts off the next one, so that no two
 * are made at once, and another process makes one if this one is killed. An organization has as many calls under way as endpoints.
 */
@Injectable()
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
      try {
        await this.sendDue();
        await pause(POLL_MS, signal);
      } catch (error) {
        this.warn(error);
        await pause(FAILURE_PAUSE_MS, signal);
      }
    }
  }

  private async sendDue(): Promise<void> {
    const epoch = await this.endpoints.epoch();
    for (const { organizationId, isFailing } of await this.endpoints.due(epoch, CLAIMS_AT_ONCE)) {
      const isFull = this.calls.size >= (isFailing ? MAX_CALLS / 2 : MAX_CALLS);
      if (isFull || this.stopping.signal.aborted) return;
      for (const attempt of await this.endpoints.claim(organizationId, epoch, isFailing)) {
        const call = this.make(attempt, epoch)
          // Nothing is stored: it is sent again by the next attempt.
          .catch((error: unknown) => this.warn(error))
          .finally(() => this.calls.delete(call));
        this.calls.add(call);
      }
    }
  }

  private async make(attempt: HintTarget, epoch: string): Promise<void> {
    const { signal } = this.stopping;
    const outcome = await this.call.send(attempt, epoch, signal);
    // Nothing has happened: any process makes the attempt again at once.
    if ('error' in outcome && signal.aborted) return this.endpoints.settle(attempt, attempt, 0);
    const state = stateAfter(attempt, outcome, epoch);
    const isAccepted = state.status === 'active';
    this.sent.inc({ outcome: isAccepted ? 'accepted' : 'failed' });
    await this.endpoints.settle(attempt, state, isAccepted ? 0 : retryAfterSeconds(attempt.attempts));
  }

  private warn(error: unknown): void {
    if (!this.stopping.signal.aborted) this.logger.warn(`hints are not sent: ${String(error)}`);
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

/** @param attempts that have failed before this one */
export function retryAfterSeconds(attempts: number): number {
  const seconds = Math.min(FIRST_RETRY_SECONDS * 2 ** attempts, LAST_RETRY_SECONDS);
  return seconds * (1 + Math.random() / 5);
}
