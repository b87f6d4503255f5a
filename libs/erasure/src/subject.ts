import { comparableEmail, comparablePhone } from '@cxp/identifiers';

/** Whose data is erased: a person, by what records call them. */
export interface Subject {
  /** As they are. */
  readonly userIds: readonly string[];
  /** In the form of `comparablePhone`. */
  readonly phones: readonly string[];
  /** In the form of `comparableEmail`. */
  readonly emails: readonly string[];
}

/** Of an erasure that is applied again. */
export const NOBODY: Subject = { userIds: [], phones: [], emails: [] };

/** Of one erasure, of all kinds together. */
export const MAX_IDENTIFIERS = 100;

/** Whether a text has nothing to compare: it would be the identifier of everybody who has none. */
export function isBlank(text: string, comparable: (text: string) => string): boolean {
  return !/\S/.test(text) || comparable(text) === '';
}

/** Whether one of the texts, of a field that can hold any, is an identifier of the subject. */
export function isIdentifierOf({ userIds, phones, emails }: Subject, text: string): boolean {
  return (
    userIds.includes(text) || phones.includes(comparablePhone(text)) || emails.includes(comparableEmail(text))
  );
}
