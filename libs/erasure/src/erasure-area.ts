import type { EntityManager } from 'typeorm';
import type { Subject } from './subject';

export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** How many records of each kind, by its name in camelCase and in plural: `{"conversations": 3, "messages": 41}`. */
export type Found = Readonly<Record<string, number>>;

/**
 * SQL: whether a row of an organization, $1, has one of the keys of a person, $2. With another collation than that of the table PostgreSQL can't
 * use the primary key: it would prefer it to the index over the keys, because it expects few rows of any organization. Citus still finds the shard.
 */
export const IS_OF_PERSON = `organization_id = $1::text COLLATE "POSIX" AND person_keys && $2::text[]`;

/**
 * SQL: whether a row, by its `created_at`, was not begun since an erasure was requested: what a person begins later is new data. A time in the
 * future was that of another clock.
 * @param requestedAt SQL of that instant; null: it was not requested yet
 */
export function isNoNewData(requestedAt: string): string {
  return `NOT (created_at > coalesce(${requestedAt}, 'infinity'::timestamptz) AND created_at <= clock_timestamp())`;
}

export interface Erased {
  readonly found: Found;
  /** Keys of what was erased beside the keys that were given: of tickets with their conversation. */
  readonly more?: readonly RecordKey[];
  /** The given keys of which something is left for another step. */
  readonly left: readonly RecordKey[];
}

export const ERASURE_AREA = Symbol('erasure area');

/** How the data of a person is erased from an area. */
export interface ErasureArea {
  /** As in the command line: `webchat`, `contact-center`, `survey`. */
  readonly name: string;
  readonly schema: string;
  readonly kinds: readonly string[];
  /** The types of keys in certificates, each with the form of its ids. */
  readonly keyTypes: Readonly<Record<string, RegExp>>;

  /** Opens a transaction that is the only one to write records of the organization. */
  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result>;

  /** Counts what would be found of a subject, some of it by each piece. Each piece is read by itself, without a lock. */
  count(manager: EntityManager, organizationId: string, subject: Subject): AsyncIterable<Found>;

  /**
   * Some keys of what is stored of a subject; none if nothing is.
   * @param requestedAt what a person has begun since then is new data, where the area stores when
   */
  find(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    requestedAt: Date,
  ): Promise<readonly RecordKey[]>;

  /**
   * Erases what has these keys, within `transaction`. A step reads and writes what fits in a few megabytes: the keys of which something remains
   * are left. Keys that nothing has are not.
   * @param requestedAt as in `find`: after a restore a new record can have the key of an erased one
   */
  erase(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
    requestedAt: Date,
  ): Promise<Erased>;

  /** Erases identifiers of the subject that belong to no record: called in the transaction of the last step. */
  eraseIdentifiers?(organizationId: string, subject: Subject): Promise<void>;

  /** Called after the transaction of a step, to notify others. It is not called if the process ends before: nothing may depend on it. */
  erased?(organizationId: string, keys: readonly RecordKey[]): void;

  /** The number up to which a follower has to read to hold nothing of it any more; null: the area has no feed. */
  lastChange(manager: EntityManager, organizationId: string): Promise<number | null>;

  /** Undefined: nothing expires. */
  readonly expiring?: ExpiringData;
}

/** What of an area expires. */
export interface ExpiringData {
  readonly keptDays: number;
  /** What has expired: some of an organization at a time, and as little as one step removes; none if a search has found none. */
  find(manager: EntityManager, before: Date): AsyncIterable<Expired>;
  /** Removes of it what still has expired, in a transaction under the organization's lock. */
  remove(expired: Expired, before: Date): Promise<void>;
}

export interface Expired {
  readonly organizationId: string;
  readonly ids: readonly string[];
}
