import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { memoize, numberColumn, textColumn, UnscopedStatement } from '@cxp/storage';
import { FEED_SCHEMA } from './change-cursor';

const POLL_MS = 100;

const lastChanges = memoize(
  (schema: string) =>
    new UnscopedStatement(
      { organizationIds: 'text[]' },
      { organizationId: textColumn('organization_id'), last: numberColumn('last') },
      (list) => `SELECT ${list} FROM ${schema}.change_feed WHERE organization_id = ANY ($organizationIds)`,
    ),
);

interface Waiter {
  readonly organizationId: string;
  readonly seen: number;
  readonly wake: () => void;
}

/**
 * One statement per process polls for all waiting readers, so that none holds a connection. LISTEN can lose messages, and
 * transaction poolers and replicas lack it.
 */
@Injectable()
export class ChangeWatch implements OnModuleDestroy {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly manager: EntityManager,
    @Inject(FEED_SCHEMA) private readonly schema: string,
  ) {}

  /** Resolves when the organization has a number above `seen`, after the time, on abort, or when the process shuts down. */
  async wait(organizationId: string, seen: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.stopped || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', wake);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter: Waiter = { organizationId, seen, wake };
      const timeout = setTimeout(wake, milliseconds);
      signal.addEventListener('abort', wake);
      this.waiters.add(waiter);
      this.schedulePoll();
    });
  }

  /** Wakes all readers and ends later waits at once. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const { wake } of [...this.waiters]) wake();
  }

  onModuleDestroy(): void {
    this.stop();
  }

  get isStopped(): boolean {
    return this.stopped;
  }

  get waiting(): number {
    return this.waiters.size;
  }

  private schedulePoll(): void {
    if (this.timer || this.stopped || this.waiters.size === 0) return;
    this.timer = setTimeout(() => {
      void this.poll().finally(() => {
        this.timer = undefined;
        this.schedulePoll();
      });
    }, POLL_MS);
  }

  private async poll(): Promise<void> {
    const organizations = new Set([...this.waiters].map(({ organizationId }) => organizationId));
    // If the database is unavailable, the reader finds out itself after its wait.
    const feeds = await lastChanges(this.schema)
      .run(this.manager, { organizationIds: [...organizations] })
      .catch(() => []);
    const lastOf = new Map(feeds.map(({ organizationId, last }) => [organizationId, last]));
    for (const { organizationId, seen, wake } of [...this.waiters])
      if ((lastOf.get(organizationId) ?? 0) > seen) wake();
  }
}
