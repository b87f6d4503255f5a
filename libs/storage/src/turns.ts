import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError } from './failures';

/** Lets pieces of work with the same key run one after the other, in the order of their arrival. Work that waits holds nothing. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** @throws DependencyUnavailableError if the work before it takes longer than `patienceMs` */
  async run<Result>(key: string, patienceMs: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key);
    const { promise: over, resolve: end } = withResolvers();
    // Work that gives up waiting does not let those behind it pass the work before it.
    const turn = Promise.all([before, over]).then(() => undefined);
    this.last.set(key, turn);
    try {
      if (before) await inTime(before, patienceMs);
      return await work();
    } finally {
      end();
      if (this.last.get(key) === turn) this.last.delete(key);
    }
  }
}

async function inTime(before: Promise<unknown>, patienceMs: number): Promise<void> {
  const timer = new AbortController();
  const isLate = sleep(patienceMs, true, { signal: timer.signal }).catch(() => false);
  const late = await Promise.race([before.then(() => false), isLate]);
  timer.abort();
  if (late) throw new DependencyUnavailableError('the turn of the organization did not come');
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
