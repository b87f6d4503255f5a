import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { DependencyUnavailableError, isDataFault } from './failures';
import { StatementScope } from './statement-scope';
import type { WatchedClient } from './watched-client';

type Release = (destroy?: Error | boolean) => void;
type Callback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void;

/** A statement that waits for a connection. */
interface Waiter {
  readonly scope: StatementScope | undefined;
  readonly shares: readonly string[];
  readonly callback: Callback;
  /** Counts up in the order of their arrival. */
  readonly place: number;
}

/**
 * A share may hold this many connections for each one that is free: 7 of 10 when nobody else needs any, fewer the more others
 * hold. Some are therefore always free for a share that holds none, without a number of its own for each share.
 */
const HELD_PER_FREE = 2;

const NONE: readonly string[] = [];
const noRelease: Release = () => undefined;

/**
 * A pool that shares its connections out between organizations and routes (the shares of the `StatementScope` that asks), so
 * that statements of one that are slow, or wait for a locked table, do not use up the connections of all others. Work outside
 * of a scope has no share and gets any connection that is free. Connections of a scope that ended are not used again: a cancel
 * request that is late could meet the next statement.
 */
export class SharedPool extends Pool {
  private readonly held = new Map<string, number>();
  /**
   * By shares: those that wait, in the order of their arrival, each with what ends its wait. Thousands of one organization may
   * wait, and each connection that comes free looks for the next one.
   */
  private readonly queues = new Map<string, Map<Waiter, () => void>>();
  private arrivals = 0;
  private inUse = 0;

  constructor(private readonly config: PoolConfig) {
    super(config);
  }

  /** How many wait for a connection. */
  get waiters(): number {
    let waiters = 0;
    for (const queue of this.queues.values()) waiters += queue.size;
    return waiters;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<PoolClient> | void {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error!)));
      });
    }
    const scope = StatementScope.current();
    const waiter = { scope, shares: scope?.sharesNow ?? NONE, callback, place: this.arrivals++ };
    if (scope?.isOver) process.nextTick(callback, answered(), undefined, noRelease);
    else if (this.mayEnter(waiter)) this.enter(waiter);
    else this.wait(waiter);
  }

  private get free(): number {
    return this.options.max - this.inUse;
  }

  private mayEnter({ shares }: Waiter): boolean {
    const { free } = this;
    return free > 0 && shares.every((share) => this.heldBy(share) < HELD_PER_FREE * free);
  }

  private heldBy(share: string): number {
    return this.held.get(share) ?? 0;
  }

  private wait(waiter: Waiter): void {
    const giveUp = (error: Error) => {
      this.stopWaiting(waiter);
      waiter.callback(error, undefined, noRelease);
    };
    const { connectionTimeoutMillis } = this.config;
    const timer = connectionTimeoutMillis && setTimeout(() => giveUp(noneFree()), connectionTimeoutMillis);
    const forget = waiter.scope?.onEnd(() => giveUp(answered()));
    const key = queueOf(waiter);
    const queue = this.queues.get(key) ?? new Map<Waiter, () => void>();
    this.queues.set(key, queue);
    queue.set(waiter, () => {
      clearTimeout(timer);
      forget?.();
    });
  }

  private stopWaiting(waiter: Waiter): void {
    const key = queueOf(waiter);
    const queue = this.queues.get(key);
    queue?.get(waiter)?.();
    queue?.delete(waiter);
    if (queue?.size === 0) this.queues.delete(key);
  }

  private enter({ scope, shares, callback }: Waiter): void {
    this.count(shares, 1);
    super.connect((error, client, release) => {
      if (!client) {
        this.leave(shares);
        callback(error, undefined, noRelease);
        return;
      }
      const statements = client as unknown as WatchedClient;
      const forget = scope?.onEnd(() => statements.abandon());
      client.release = (reason) => {
        forget?.();
        // The pool of pg ends a connection for any error: one whose row was refused would cost the next statement a login.
        release(statements.isAbandoned || (!isDataFault(reason) && reason));
        this.leave(shares);
      };
      if (!scope?.isOver) return callback(undefined, client, (destroy) => client.release(destroy));
      client.release();
      callback(answered(), undefined, noRelease);
    });
  }

  private leave(shares: readonly string[]): void {
    this.count(shares, -1);
    for (let next = this.next(); next; next = this.next()) {
      this.stopWaiting(next);
      this.enter(next);
    }
  }

  private count(shares: readonly string[], change: 1 | -1): void {
    this.inUse += change;
    for (const share of shares) {
      const held = this.heldBy(share) + change;
      if (held > 0) this.held.set(share, held);
      else this.held.delete(share);
    }
  }

  /** Of those who may have a connection the one whose shares hold fewest; of equals the one that has waited longest. */
  private next(): Waiter | undefined {
    let best: Waiter | undefined;
    let fewest = Infinity;
    for (const queue of this.queues.values()) {
      const waiter: Waiter = queue.keys().next().value!;
      const holds = Math.max(0, ...waiter.shares.map((share) => this.heldBy(share)));
      const isBetter = holds < fewest || (holds === fewest && waiter.place < best!.place);
      if (isBetter && this.mayEnter(waiter)) [best, fewest] = [waiter, holds];
    }
    return best;
  }
}

function queueOf({ shares }: Waiter): string {
  return shares.join('\n');
}

function noneFree(): Error {
  return new DependencyUnavailableError('no connection came free');
}

function answered(): Error {
  return new DependencyUnavailableError('the request of this statement is answered');
}
