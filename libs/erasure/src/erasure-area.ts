import { comparableEmail, comparablePhone } from '@cxp/identifiers';
import type { EntityManager } from 'typeorm';

/** A person, by identifiers in records. The lists are sorted and unique. */
export interface Subject {
  /** As sent. */
  readonly userIds: readonly string[];
  /** In the form of `comparablePhone`. */
  readonly phones: readonly string[];
  /** In the form of `comparableEmail`. */
  readonly emails: readonly string[];
}

/** Of all kinds together. */
export const MAX_IDENTIFIERS = 100;

export interface SentIdentifiers {
  readonly userIds?: readonly string[] | null;
  readonly phones?: readonly string[] | null;
  readonly emails?: readonly string[] | null;
}

/** Drops identifiers that normalise to nothing: they would match everybody without one. */
export function subjectOf({ userIds, phones, emails }: SentIdentifiers): Subject {
  return {
    userIds: comparable(userIds, String),
    phones: comparable(phones, comparablePhone),
    emails: comparable(emails, comparableEmail),
  };
}

export function isNobody({ userIds, phones, emails }: Subject): boolean {
  return userIds.length + phones.length + emails.length === 0;
}

export function isSameSubject(one: Subject, other: Subject): boolean {
  const listsOf = ({ userIds, phones, emails }: Subject) => JSON.stringify([userIds, phones, emails]);
  return listsOf(one) === listsOf(other);
}

export function isIdentifierOf({ phones, emails }: Subject, text: string): boolean {
  return phones.includes(comparablePhone(text)) || emails.includes(comparableEmail(text));
}

function comparable(
  sent: readonly string[] | null | undefined,
  comparableOf: (text: string) => string,
): string[] {
  return [...new Set((sent ?? []).map(comparableOf))].filter((text) => text !== '').sort();
}

export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** Counts by kind, in camelCase and plural: `{"conversations": 3, "messages": 41}`. */
export type Found = Readonly<Record<string, number>>;

/**
 * Whether a row of the organization $1 has one of a person's keys $2. The misstated collation rules out the primary key, which
 * PostgreSQL would prefer to the index over the keys, because it has no statistics of `organization_id`; Citus still finds the
 * shard.
 */
export const IS_OF_PERSON = `organization_id = $1::text COLLATE "POSIX" AND person_keys && $2::text[]`;

/**
 * Whether a row was created before an erasure was requested: later data is new. A time in the future comes from another clock.
 * @param requestedAt SQL of the instant; null: not requested yet
 */
export function isNoNewData(requestedAt: string): string {
  return `NOT (created_at > coalesce(${requestedAt}, 'infinity'::timestamptz) AND created_at <= clock_timestamp())`;
}

export interface Erased {
  readonly found: Found;
  /** Keys that were erased with the given ones: tickets of conversations. */
  readonly more?: readonly RecordKey[];
  /** Given keys that need another step. */
  readonly left: readonly RecordKey[];
}

export const ERASURE_AREA = Symbol('erasure area');

/** How an area erases a person's data. */
export interface ErasureArea {
  /** As in the command line: `webchat`, `contact-center`, `survey`. */
  readonly name: string;
  readonly schema: string;
  readonly kinds: readonly string[];
  /** Types of keys in certificates, with the form of their ids. */
  readonly keyTypes: Readonly<Record<string, RegExp>>;

  /** The transaction holds the organization's lock. */
  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result>;

  /** A step erases at most this many keys. */
  readonly maxKeys: number;

  /**
   * The keys of the subject's data, in pages, some of which may be empty.
   * @param requestedAt later data is new, where the area stores its time; null: all data counts
   */
  find(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    requestedAt: Date | null,
  ): AsyncIterable<readonly RecordKey[]>;

  /** What erasing a page of keys would count. */
  count(manager: EntityManager, organizationId: string, keys: readonly RecordKey[]): Promise<Found>;

  /**
   * Erases at most `maxKeys` keys within `transaction`, as much as fits in a few megabytes, and returns the unfinished ones.
   * Unknown keys count as erased.
   * @param requestedAt as in `find`: after a restore a new record can have the key of an erased one
   */
  erase(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
    requestedAt: Date,
  ): Promise<Erased>;

  /** Erases identifiers that belong to no record, in the transaction of the last step. */
  eraseIdentifiers?(organizationId: string, subject: Subject): Promise<void>;

  /** Notifies others after a step. It may be lost when the process ends, so nothing may depend on it. */
  erased?(organizationId: string, keys: readonly RecordKey[]): void;

  /** A follower that has read up to this number holds nothing of it; null: the area has no feed. */
  lastChange(manager: EntityManager, organizationId: string): Promise<number | null>;
}
