import { DependencyUnavailableError } from './failures';
import { requestMs } from './times';

/** Lets so many pieces of work with the same key run at once. More work waits, holds nothing, and begins in the order of its arrival. */
export class Places {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly most: number) {}

  /** @throws DependencyUnavailableError if it has to wait longer than `patienceMs` */
  async run<Result>(key: string, work: () => Promise<Result>, patienceMs = requestMs()): Promise<Result> {
    await this.begin(key, patienceMs);
    try {
      return await work();
    } finally {
      this.end(key);
    }
  }

  /** @returns undefined if the work has begun, else a promise that it has */
  begin(key: string, patienceMs = requestMs()): Promise<void> | undefined {
    const running = this.running.get(key) ?? 0;
    if (running >= this.most) return this.wait(key, patienceMs);
    this.running.set(key, running + 1);
    return undefined;
  }

  /** Ends one piece of work; the next one that waits begins. */
  end(key: string): void {
    const next = this.waiting.get(key)?.values().next().value;
    if (next) return next();
    const left = this.running.get(key)! - 1;
    if (left > 0) this.running.set(key, left);
    else this.running.delete(key);
  }

  private wait(key: string, patienceMs: number): Promise<void> {
    const waiting = this.waiting.get(key) ?? new Set();
    this.waiting.set(key, waiting);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        if (waiting.size === 0) this.waiting.delete(key);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(new DependencyUnavailableError('the work before it takes too long'));
      };
      const timer = patienceMs === Infinity ? undefined : setTimeout(giveUp, patienceMs);
      waiting.add(begin);
    });
  }
}
