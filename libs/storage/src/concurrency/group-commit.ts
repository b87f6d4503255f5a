import { DependencyUnavailableError, isDependencyUnavailable } from '../failures';

export interface GroupCommitOptions<Item, Outcome> {
  readonly maxItems: number;
  /** Milliseconds that an item may wait for its commit. */
  readonly waitMs: number;
  /** Concurrent commits of one group. Default: 1. */
  readonly maxCommits?: number;
  /** Items of different groups are never committed together and do not wait for each other. Default: one group. */
  readonly groupOf?: (item: Item) => string;
  /**
   * Items with the same key are committed one after the other, but do not wait for one that is committed alone. Default: each has its own.
   */
  readonly keyOf?: (item: Item) => unknown;
  /**
   * Commits all items or none.
   * @returns outcomes in order; undefined if an item would delay the others and has to be committed alone
   */
  readonly commit: (items: readonly Item[]) => Promise<readonly (Outcome | undefined)[]>;
  readonly commitAlone: (item: Item) => Promise<Outcome>;
}

interface Waiter<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

interface Group<Item, Outcome> {
  readonly waiting: Set<Waiter<Item, Outcome>>;
  readonly keys: Set<unknown>;
  commits: number;
}

/**
 * Commits items together: at once if the group has room, else all waiting items with the group's next commit. If a commit fails
 * although the store is available, one item spoils it, so each is committed alone.
 */
export class GroupCommit<Item, Outcome> {
  private readonly groups = new Map<string, Group<Item, Outcome>>();

  constructor(private readonly options: GroupCommitOptions<Item, Outcome>) {}

  /** @returns the item's outcome. Fails if the item still waits after `waitMs` */
  add(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const { waiting } = this.groupOf(item);
      const giveUp = () => {
        waiting.delete(waiter);
        reject(new DependencyUnavailableError('the commits before take too long'));
      };
      const timer = setTimeout(giveUp, this.options.waitMs).unref();
      const waiter = { item, resolve, reject, timer };
      waiting.add(waiter);
    });
  }

  private groupOf(item: Item): Group<Item, Outcome> {
    const { groupOf, maxCommits = 1 } = this.options;
    const name = groupOf?.(item) ?? '';
    const group = this.groups.get(name) ?? { waiting: new Set(), keys: new Set(), commits: 0 };
    this.groups.set(name, group);
    if (group.commits < maxCommits) {
      group.commits += 1;
      setImmediate(() => void this.commitAll(name, group));
    }
    return group;
  }

  private async commitAll(name: string, group: Group<Item, Outcome>): Promise<void> {
    for (let next = this.removeNext(group); next.size > 0; next = this.removeNext(group)) {
      await this.commitTogether([...next.values()]);
      for (const key of next.keys()) group.keys.delete(key);
    }
    group.commits -= 1;
    if (group.commits === 0) this.groups.delete(name);
  }

  /** The first waiting item of each key that is not being committed. */
  private removeNext({ waiting, keys }: Group<Item, Outcome>): Map<unknown, Waiter<Item, Outcome>> {
    const { maxItems, keyOf = (item: Item) => item } = this.options;
    const next = new Map<unknown, Waiter<Item, Outcome>>();
    for (const waiter of waiting) {
      if (next.size === maxItems) break;
      const key = keyOf(waiter.item);
      if (keys.has(key)) continue;
      keys.add(key);
      next.set(key, waiter);
      waiting.delete(waiter);
      clearTimeout(waiter.timer);
    }
    return next;
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
