import type { ServerResponse } from 'node:http';
import { ProblemError } from '@cxp/error-envelopes';

/** How much long work (exports, streams, intakes) a process runs at once. */
export interface ConcurrencyLimits {
  /** The share of one organization. Smaller than `total`, so that no organization can use all of it. */
  readonly perOrganization: number;
  readonly total: number;
  /** The `Retry-After` of a refusal, in seconds. Default: 5. */
  readonly retryAfterSeconds?: number;
}

/**
 * Limits how much long work of one organization runs at once in this process. Rate limits count requests when they begin;
 * this counts those that have not ended yet, so that an organization whose clients read or send slowly keeps nobody else out.
 * One instance per kind of work.
 */
export class ConcurrencyLimit {
  private readonly running = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: ConcurrencyLimits) {}

  /**
   * Counts one piece of work until it is released.
   * @param size what it counts for, if the limits are not of pieces
   * @returns ends it; a second call changes nothing
   * @throws ProblemError `rate_limited` (429) if the organization has its share, `overloaded` (503) if the process has all
   *   that it can run; both with `Retry-After`
   */
  acquire(organizationId: string, size = 1): () => void {
    const { perOrganization, total, retryAfterSeconds = 5 } = this.limits;
    const own = this.running.get(organizationId) ?? 0;
    if (own + size > perOrganization) {
      throw new ProblemError({ code: 'rate_limited', limit: 'at_once', retryAfterSeconds });
    }
    if (this.total + size > total) throw new ProblemError({ code: 'overloaded', retryAfterSeconds });
    this.running.set(organizationId, own + size);
    this.total += size;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(organizationId, size);
    };
  }

  /** Counts the work until its response is closed. Throws as `acquire` does. */
  holdUntilClosed(organizationId: string, response: ServerResponse, size = 1): void {
    const release = this.acquire(organizationId, size);
    // If the client is gone already, there is no `close` to wait for.
    if (response.closed) release();
    else response.once('close', release);
  }

  /** Counts the work until its promise is settled. */
  async run<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    const release = this.acquire(organizationId);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private release(organizationId: string, size: number): void {
    const left = this.running.get(organizationId)! - size;
    if (left > 0) this.running.set(organizationId, left);
    else this.running.delete(organizationId);
    this.total -= size;
  }
}
