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

/** Whether `subjectOf` would be without an identifier; ends with the first one. */
export function isNobody({ userIds, phones, emails }: SentIdentifiers): boolean {
  const has = (sent: SentIdentifiers['phones'], comparableOf: (text: string) => string) =>
    (sent ?? []).some((text) => comparableOf(text) !== '');
  return !has(userIds, String) && !has(phones, comparablePhone) && !has(emails, comparableEmail);
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
 * Whether a row of the organization has one of a person's keys, `$personKeys`. The misstated collation rules out the primary key, which
 * PostgreSQL would prefer to the index over the keys, because it has no statistics of `organization_id`; Citus still finds the
 * shard.
 */
export const IS_OF_PERSON = `organization_id = $organizationId COLLATE "POSIX" AND person_keys && $personKeys`;

/**
 * Whether a row was created before an erasure was requested: later data is new. A time in the future comes from another clock.
 * @param requestedAt SQL of the instant; null: not requested yet
 */
export function isNoNewData(requestedAt: string): string {
  return `NOT (created_at > coalesce(${requestedAt}, 'infinity'::timestamptz) AND created_at <= clock_timestamp())`;
}

/** One step of an erasure. */
export interface ErasureStep {
  /** What it has erased, by kind. */
  readonly found: Found;
  /** Keys of which nothing is left, and which must not come back. */
  readonly keys: readonly RecordKey[];
  /** Where the next step begins; null: nothing is left. */
  readonly next: string | null;
  /** Runs after the commit. It may be lost when the process ends, so nothing may depend on it. */
  readonly afterCommit?: () => void;
}

export interface RunningErasure {
  readonly organizationId: string;
  readonly subject: Subject;
  /** Later data is new, where the area stores its time. */
  readonly requestedAt: Date;
  /** `next` of the last step; null before the first. */
  readonly position: string | null;
}

export const ERASER = Symbol('eraser');

/** How an area erases a person's data. */
export interface Eraser {
  /** As in the command line: `webchat`, `contact-center`, `survey`. */
  readonly name: string;
  readonly schema: string;
  readonly kinds: readonly string[];

  /** The transaction holds the organization's lock. */
  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result>;

  /** What an erasure would find, in parts. A statement reads at most a few megabytes. */
  count(manager: EntityManager, organizationId: string, subject: Subject): AsyncIterable<Found>;

  /** Does a step within `transaction`, of as much as fits in a few megabytes. */
  erase(manager: EntityManager, erasure: RunningErasure): Promise<ErasureStep>;

  /** Erases identifiers that belong to no record, in the transaction of the last step. */
  eraseIdentifiers?(organizationId: string, subject: Subject): Promise<void>;

  /** A follower that has read up to this number holds nothing of it; null: the area has no feed. */
  lastChange(manager: EntityManager, organizationId: string): Promise<number | null>;
}
