/** Characters that can't be seen, marks of direction among them. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;

/** What phones compare without: spaces, dots, dashes and round brackets. A leading `+` counts. */
const SEPARATORS = /[\s.()\p{Dash}]/gu;

/** A longer text is no identifier, however much of it can't be seen: it is not looked into. In UTF-16 units. */
const MAX_WRITTEN_LENGTH = 1_000;

/** The form in which phones compare. It is empty for a phone without a digit or letter: such a phone is no identifier. */
export function comparablePhone(phone: string): string {
  if (phone.length > MAX_WRITTEN_LENGTH) return '';
  const comparable = phone.replace(INVISIBLE, '').replace(SEPARATORS, '');
  return /[\p{Letter}\p{Number}]/u.test(comparable) ? comparable : '';
}

/**
 * The form in which emails compare: without case and spaces around them. Case is taken from each character by itself, because the last letter of a
 * word may have a lower case of its own. An empty one is no identifier.
 */
export function comparableEmail(email: string): string {
  if (email.length > MAX_WRITTEN_LENGTH) return '';
  if (ASCII.test(email)) return email.trim().toLowerCase();
  return Array.from(email.replace(INVISIBLE, '').trim(), lowerCharacter).join('');
}

/** Nearly all texts: their characters need not be looked at one by one. */
const ASCII = /^[\0-\x7f]*$/;

/** A character whose lower case is more than one character stays as it is. */
function lowerCharacter(character: string): string {
  const lower = character.toLowerCase();
  return [...lower].length === 1 ? lower : character;
}

/** In characters: a longer text is no identifier. */
export const MAX_IDENTIFIER_LENGTH = 255;

/** Texts by which a row is found that has a phone, an email, or texts that may be either. The first character of a key is the kind. */
export function identifierKeys(
  phones: readonly (string | null)[],
  emails: readonly (string | null)[],
): string[] {
  const keys = [
    ...phones.map((phone) => `p${comparablePhone(phone ?? '')}`),
    ...emails.map((email) => `e${comparableEmail(email ?? '')}`),
  ];
  return [...new Set(keys)].filter((key) => key.length > 1 && !isTooLong(key));
}

function isTooLong(key: string): boolean {
  const most = MAX_IDENTIFIER_LENGTH + 1;
  return key.length > 2 * most || (key.length > most && [...key].length > most);
}

/** All texts in a JSON value, at any depth: names of members too, and numbers as they are written. Each may be an identifier. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}
