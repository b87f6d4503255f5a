import { comparableEmail, comparablePhone } from '@cxp/identifiers';

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
