import { DependencyUnavailableError, isDependencyUnavailable } from './failures';
import { StatementScope } from './statement-scope';

export interface GroupCommitOptions<Item, Outcome> {
  /** The most items of one commit. */
  readonly maxItems: number;
  /** Items of different groups are never committed together, and do not wait for each other. Default: one group. */
  readonly groupOf?: (item: Item) => string;
  /** Items that have the same key are not committed together. Default: each has its own. */
  readonly keyOf?: (item: Item) => unknown;
  /**
   * Commits items together: all of them or none.
   * @returns the outcome of each, in their order; undefined: the item would have held up the others, and is to be committed alone
   */
  readonly commit: (items: readonly Item[]) => Promise<readonly (Outcome | undefined)[]>;
  readonly commitAlone: (item: Item) => Promise<Outcome>;
}

interface Waiter<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits items together: one commit of a group is under way at a time, and the next one takes the items that have come meanwhile.
 * An item that comes alone is committed at once, and the more come, the less each costs. If a commit fails although the store is
 * available, one of its items spoils it: each of them is committed alone then.
 */
export class GroupCommit<Item, Outcome> {
  /** The items that wait for a commit, by group; a group is there while it has a commit under way. */
  private readonly queues = new Map<string, Set<Waiter<Item, Outcome>>>();

  constructor(private readonly options: GroupCommitOptions<Item, Outcome>) {}

  /** @returns the outcome, once the item is committed. Fails, too, when the time of the caller is over */
  async add(item: Item): Promise<Outcome> {
    let removeListener: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const waiter = { item, resolve, reject };
        const queue = this.queueOf(item);
        queue.add(waiter);
        removeListener = StatementScope.current()?.onEnd(() => {
          queue.delete(waiter);
          reject(new DependencyUnavailableError('the time of the request is over'));
        });
      });
    } finally {
      removeListener?.();
    }
  }

  private queueOf(item: Item): Set<Waiter<Item, Outcome>> {
    const group = this.options.groupOf?.(item) ?? '';
    const known = this.queues.get(group);
    if (known) return known;
    const queue = new Set<Waiter<Item, Outcome>>();
    this.queues.set(group, queue);
    // It commits for others too: it must not end with the request that started it.
    StatementScope.leave(() => setImmediate(() => void this.commitAll(group, queue)));
    return queue;
  }

  private async commitAll(group: string, queue: Set<Waiter<Item, Outcome>>): Promise<void> {
    while (queue.size > 0) await this.commitTogether(this.removeNext(queue));
    this.queues.delete(group);
  }

  /** The first items that wait, one of each key. */
  private removeNext(queue: Set<Waiter<Item, Outcome>>): Waiter<Item, Outcome>[] {
    const { maxItems, keyOf = (item: Item) => item } = this.options;
    const next = new Map<unknown, Waiter<Item, Outcome>>();
    for (const waiter of queue) {
      if (next.size === maxItems) break;
      const key = keyOf(waiter.item);
      if (next.has(key)) continue;
      next.set(key, waiter);
      queue.delete(waiter);
    }
    return [...next.values()];
  }

  private async commitTogether(waiters: readonly Waiter<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.options.commit(waiters.map(({ item }) => item));
      waiters.forEach((waiter, index) => {
        const outcome = outcomes[index];
        if (outcome === undefined) this.commitAlone(waiter);
        else waiter.resolve(outcome);
      });
    } catch (error) {
      for (const waiter of waiters) {
        if (isDependencyUnavailable(error)) waiter.reject(error);
        else this.commitAlone(waiter);
      }
    }
  }

  private commitAlone({ item, resolve, reject }: Waiter<Item, Outcome>): void {
    this.options.commitAlone(item).then(resolve, reject);
  }
}
