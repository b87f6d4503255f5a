/** Matches a text of which something can be seen. Any other is treated as no text. */
export const VISIBLE_TEXT = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

export function isVisibleText(text: string): boolean {
  return VISIBLE_TEXT.test(text);
}

/** Phones and emails are compared without them. Direction marks belong to them. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu;

/** Phones are also compared without dots, dashes and round brackets. A leading `+` counts. */
const SEPARATORS = /[.()\p{Dash}]/gu;

/** UTF-16 units. A longer text is no identifier, even if most of it is invisible. */
const MAX_WRITTEN_LENGTH = 1_000;

/** Normalises a phone for comparison. Empty without a digit or letter: such a phone is no identifier. */
export function comparablePhone(phone: string): string {
  if (phone.length > MAX_WRITTEN_LENGTH) return '';
  const comparable = phone.replace(INVISIBLE, '').replace(SEPARATORS, '');
  return /[\p{Letter}\p{Number}]/u.test(comparable) ? comparable : '';
}

/**
 * Drops case and what can't be seen. A final sigma has no lower case of its own here, and a letter whose lower case is several
 * characters stays as it is. An empty one is no identifier.
 */
export function comparableEmail(email: string): string {
  if (email.length > MAX_WRITTEN_LENGTH) return '';
  const visible = email.replace(INVISIBLE, '');
  return visible.replaceAll('Σ', 'σ').replace(/[^\u0130]+/g, (part) => part.toLowerCase());
}

/** Characters; a longer text is no identifier. */
export const MAX_IDENTIFIER_LENGTH = 255;

/** Keys that find rows by phone, email, or texts that may be either. The first character is the kind. */
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

/** Two keys for each of 100,000 texts would take seconds to store. */
const MAX_KEYED_TEXTS = 1_000;

/** The only key of a value with more texts, which has to be read to know whose it is. */
export const KEY_OF_MANY_TEXTS = '*';

/** Finds what may be of a person. */
export function keysToFind(phones: readonly string[], emails: readonly string[]): string[] {
  return [...identifierKeys(phones, emails), KEY_OF_MANY_TEXTS];
}

/** Of all texts in a JSON value, which may be phones or emails. */
export function keysOfTexts(value: unknown): string[] {
  const texts = textsIn(value, MAX_KEYED_TEXTS + 1);
  return texts.length > MAX_KEYED_TEXTS ? [KEY_OF_MANY_TEXTS] : identifierKeys(texts, texts);
}

function isTooLong(key: string): boolean {
  const most = MAX_IDENTIFIER_LENGTH + 1;
  return key.length > 2 * most || (key.length > most && [...key].length > most);
}

/**
 * Texts, member names and numbers of a JSON value, at any depth. Each may be an identifier.
 * @param most ends the search
 */
export function textsIn(value: unknown, most = Infinity): string[] {
  const texts: string[] = [];
  const visit = (item: unknown): void => {
    if (texts.length >= most) return;
    if (typeof item === 'string' || typeof item === 'number') texts.push(String(item));
    else if (Array.isArray(item)) item.forEach(visit);
    else if (typeof item === 'object' && item !== null) {
      for (const [name, member] of Object.entries(item)) {
        visit(name);
        visit(member);
      }
    }
  };
  visit(value);
  return texts;
}
