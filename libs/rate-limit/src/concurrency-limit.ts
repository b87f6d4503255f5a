import type { ServerResponse } from 'node:http';
import { ProblemError } from '@cxp/error-envelopes';

/** Limits of exports, streams and intakes in one process. */
export interface ConcurrencyLimits {
  /** Smaller than `total`, so that no organization can use all of it. */
  readonly perOrganization: number;
  readonly total: number;
  /** Seconds. Default: 5. */
  readonly retryAfterSeconds?: number;
}

/**
 * Limits unfinished work per organization in this process, so that its slow clients exclude nobody else; more is refused
 * (`KeyedLimit` lets it wait). One instance per kind of work.
 */
export class ConcurrencyLimit {
  private readonly running = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: ConcurrencyLimits) {}

  /**
   * @param size of the work, if the limits are not of pieces
   * @returns releases it; a second call changes nothing
   * @throws ProblemError `rate_limited` (429) if the organization has its share, `overloaded` (503) if the process is full;
   * both with `Retry-After`
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

  /** Throws like `acquire`. */
  holdUntilClosed(organizationId: string, response: ServerResponse, size = 1): void {
    const release = this.acquire(organizationId, size);
    // A closed response emits no further `close`.
    if (response.closed) release();
    else response.once('close', release);
  }

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
