import type { WaitingOrganization } from './unstored-records';

/** The pause before an organization's records are tried again, in milliseconds: doubled by each failure in a row. */
export const PAUSE_MS = { min: 500, max: 30_000 };

/** Records that are tried together at most. */
const BATCH_RECORDS = 500;

export interface Wait {
  readonly organizationId: string;
  /** When the first of its records began to wait, by `Date.now()`. */
  readonly since: number;
  /** Records that are tried next: fewer after a failure, which may be a statement that took too long. */
  batch: number;
  /** Failures in a row. */
  failures: number;
  /** By `performance.now()`. */
  nextTry: number;
}

/**
 * The organizations that have records waiting in PostgreSQL, and when each is tried again. Which records those are is not held in
 * memory, and an organization that is not due costs nothing.
 */
export class WaitingOrganizations {
  private readonly waits = new Map<string, Wait>();

  get size(): number {
    return this.waits.size;
  }

  get organizations(): string[] {
    return [...this.waits.keys()];
  }

  has(organizationId: string): boolean {
    return this.waits.has(organizationId);
  }

  /** When the first record began to wait, by `Date.now()`. */
  get since(): number | undefined {
    let since: number | undefined;
    for (const wait of this.waits.values()) since = Math.min(wait.since, since ?? Infinity);
    return since;
  }

  /** Those that are known keep their pauses. */
  addAll(organizations: readonly WaitingOrganization[]): void {
    for (const { organizationId, since } of organizations) {
      if (!this.waits.has(organizationId)) this.add(organizationId, since.getTime(), performance.now());
    }
  }

  /** The organization's records wait from now on; it is tried after the shortest pause. */
  begin(organizationId: string): void {
    this.add(organizationId, Date.now(), performance.now() + PAUSE_MS.min);
  }

  private add(organizationId: string, since: number, nextTry: number): void {
    this.waits.set(organizationId, { organizationId, since, batch: BATCH_RECORDS, failures: 0, nextTry });
  }

  /** The organization whose turn to be tried came first, if it came. */
  due(): Wait | undefined {
    const first = this.first();
    return first && first.nextTry <= performance.now() ? first : undefined;
  }

  /** Milliseconds until one is due; Infinity if none waits. */
  get dueIn(): number {
    const first = this.first();
    return first ? Math.max(0, first.nextTry - performance.now()) : Infinity;
  }

  private first(): Wait | undefined {
    let first: Wait | undefined;
    for (const wait of this.waits.values()) if (!first || wait.nextTry < first.nextTry) first = wait;
    return first;
  }

  /** Some of its records were stored: the next ones follow as soon as others had their turn. */
  advance(wait: Wait): void {
    wait.failures = 0;
    wait.batch = Math.min(wait.batch * 2, BATCH_RECORDS);
    wait.nextTry = performance.now();
  }

  /** Somebody else stores its records: that may be over soon. */
  passOver(wait: Wait): void {
    wait.nextTry = performance.now() + PAUSE_MS.min;
  }

  /** @param hasAdvanced whether some of its records were stored before */
  fail(wait: Wait, hasAdvanced: boolean): void {
    if (hasAdvanced) wait.failures = 0;
    wait.nextTry = performance.now() + pauseAfter(wait.failures);
    wait.failures += 1;
    wait.batch = Math.max(1, Math.floor(wait.batch / 2));
  }

  end({ organizationId }: Wait): void {
    this.waits.delete(organizationId);
  }
}

/** @param failures how many failures there were in a row before this one */
export function pauseAfter(failures: number): number {
  return Math.min(PAUSE_MS.min * 2 ** Math.min(failures, 16), PAUSE_MS.max);
}
