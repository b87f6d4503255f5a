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

/** Phones compare without spaces, dots, dashes and round brackets; a leading `+` counts. */
export function comparablePhone(phone: string): string {
  return phone.replace(/[\s.()\p{Dash}]/gu, '');
}

/** Emails compare without case, character by character: the last letter of a word has no case of its own. */
export function comparableEmail(email: string): string {
  return Array.from(email.trim(), lowerCharacter).join('');
}

/** A character whose lower case is more than one character stays as it is. */
function lowerCharacter(character: string): string {
  const lower = character.toLowerCase();
  return [...lower].length === 1 ? lower : character;
}

/** Texts by which a row is found that has a phone, an email, or texts that may be either: what is longer than an identifier is none. */
export function identifierKeys(
  phones: readonly (string | null)[],
  emails: readonly (string | null)[],
): string[] {
  const keys = [
    ...phones.map((phone) => `p${comparablePhone(phone ?? '')}`),
    ...emails.map((email) => `e${comparableEmail(email ?? '')}`),
  ];
  // The first character is the kind.
  return [...new Set(keys)].filter((key) => key.length > 1 && [...key].length <= MAX_IDENTIFIER_LENGTH + 1);
}

/** Of one erasure, of all kinds together. */
export const MAX_IDENTIFIERS = 100;

/** In characters. */
export const MAX_IDENTIFIER_LENGTH = 255;

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
