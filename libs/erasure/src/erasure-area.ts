import type { EntityManager } from 'typeorm';
import type { Subject } from './subject';

export type ErasureMode = 'delete' | 'anonymize';

/** The key of a record: its type, and its id as text. */
export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** How many records of each kind, by its name in camelCase and in plural: `{"conversations": 3, "messages": 41}`. */
export type Found = Readonly<Record<string, number>>;

/**
 * SQL: whether a row of an organization, $1, has one of the keys of a person, $2. Where the collation is another one than that of the table, PostgreSQL can't
 * find rows by the organization, which it would do besides, because it expects few of any organization; a cluster of Citus still finds the shard by it.
 */
export const IS_OF_PERSON = `organization_id = $1::text COLLATE "POSIX" AND person_keys && $2::text[]`;

/**
 * SQL: whether a row, by its `created_at`, was not begun since an erasure was asked for: what a person begins later is new data. A time that is
 * yet to come was that of another clock.
 * @param requestedAt SQL of that instant; null: it was not asked for yet
 */
export function isNoNewData(requestedAt: string): string {
  return `NOT (created_at > coalesce(${requestedAt}, 'infinity'::timestamptz) AND created_at <= clock_timestamp())`;
}

/** The ids of records by their type: `{"conversation": ["c-1"], "ticket": ["1001"]}`. */
export type ErasedKeysOfTypes = Readonly<Record<string, readonly string[] | null | undefined>>;

/** What was erased by a step. */
export interface Erased {
  readonly found: Found;
  /** The keys of records that must not come back. */
  readonly keys: readonly RecordKey[];
}

/** What `ErasureArea` is injected by. */
export const ERASURE_AREA = Symbol('erasure area');

/**
 * How the data of a person is erased from an area. A *root* is what an identifier leads to, with all that belongs to it: a conversation, a
 * survey response, a link.
 */
export interface ErasureArea {
  /** As in the command line: `webchat`, `contact-center`, `survey`. */
  readonly name: string;
  readonly schema: string;
  /** The area stores no user ids: they match nothing in it. */
  readonly ignoresUserIds?: boolean;
  /** The kinds of records that certificates count, each of them always. */
  readonly kinds: readonly string[];
  /** The types whose keys certificates carry, each with the form of its ids: those that find everything else again. */
  readonly keyTypes: Readonly<Record<string, RegExp>>;
  /** The roots that one transaction erases at most. */
  readonly rootsPerStep: number;

  /** Opens a transaction that is the only one to write records of the organization. */
  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result>;

  /**
   * The first roots of the subject, at most so many. What was erased, in either mode, is no longer found.
   * @param requestedAt what a person has begun since then is new data, where the area stores when
   */
  find(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    limit: number,
    requestedAt?: Date,
  ): Promise<readonly RecordKey[]>;

  /**
   * Erases roots with all that belongs to them, within `transaction`. Work is bounded by `rootsPerStep`: a root that has more leaves
   * some of it, and itself, for the next step.
   * @param isIdentifier whether a text is an identifier of the person, for fields that can hold any text
   * @param isDryRun the transaction will be rolled back: nothing outside of it may be changed
   * @param requestedAt as in `find`: if an erasure is applied again after a restore, a new record can have the key of an erased one
   * @returns with the keys of the roots that are erased whole; of those of an erasure that is applied again, some may not exist
   */
  erase(
    manager: EntityManager,
    organizationId: string,
    roots: readonly RecordKey[],
    mode: ErasureMode,
    isIdentifier: (text: string) => boolean,
    isDryRun: boolean,
    requestedAt?: Date,
  ): Promise<Erased>;

  /**
   * Erases what else holds identifiers of the subject, and is in no root: called in the transaction of the last step. An erasure that is
   * applied again has none.
   */
  eraseIdentifiers?(organizationId: string, subject: Subject): Promise<void>;

  /** Called after the transaction of a step, to notify others. It is not called if the process ends before: nothing may depend on it. */
  erased?(organizationId: string, roots: readonly RecordKey[]): Promise<void>;

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
  /** Removes of it what still has expired, in a transaction in the organization's turn. */
  remove(expired: Expired, before: Date): Promise<void>;
}

export interface Expired {
  readonly organizationId: string;
  readonly ids: readonly string[];
}
