import { DependencyUnavailableError } from '../failures';

export interface KeyedLimitOptions {
  readonly places: number;
  readonly waitMs: number;
  /** Waiting pieces of work per key; more is refused at once. Default: 1,000. */
  readonly maxWaiting?: number;
}

/**
 * Limits concurrent work of a key, for instance an organization; more work waits in order of arrival (`ConcurrencyLimit` refuses it at
 * once). Work must not ask for a second place: it would wait for itself.
 */
export class KeyedLimit {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly options: KeyedLimitOptions) {}

  /**
   * @param signal ends the wait
   * @throws DependencyUnavailableError if the wait is too long or too much work waits; the signal's reason
   */
  async run<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const leave = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Throws like `run`.
   * @returns gives the place back; to be called once
   */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const running = this.running.get(key) ?? 0;
    if (running < this.options.places) this.running.set(key, running + 1);
    else await this.wait(key, signal);
    return () => this.leave(key);
  }

  get waitingCount(): number {
    let count = 0;
    for (const { size } of this.waiting.values()) count += size;
    return count;
  }

  private leave(key: string): void {
    const next = this.waiting.get(key)?.values().next().value;
    if (next) return next();
    const left = this.running.get(key)! - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
  }

  private wait(key: string, signal?: AbortSignal): Promise<void> {
    const { waitMs, maxWaiting = 1_000 } = this.options;
    const waiting = this.waiting.get(key) ?? new Set();
    if (waiting.size >= maxWaiting) throw new DependencyUnavailableError('too much work waits');
    this.waiting.set(key, waiting);
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        waiting.delete(begin);
        if (waiting.size === 0) this.waiting.delete(key);
      };
      const begin = () => {
        stopWaiting();
        resolve();
      };
      const refuse = (error: Error) => {
        stopWaiting();
        reject(error);
      };
      const abort = () => refuse(signal!.reason as Error);
      const giveUp = () => refuse(new DependencyUnavailableError('the work before it takes too long'));
      const timer = setTimeout(giveUp, waitMs);
      signal?.addEventListener('abort', abort);
      waiting.add(begin);
    });
  }
}
