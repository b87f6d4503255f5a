/** The length of an instant as it is stored: `2026-01-05T02:11:09.000Z`. */
const STORED_LENGTH = 24;

/** @param text ISO 8601 with an offset @returns it in UTC with milliseconds, as it is stored; anything finer is cut off */
export function instant(text: string): string {
  const isStoredForm = text.length === STORED_LENGTH && text.endsWith('Z');
  return isStoredForm ? text : new Date(text).toISOString();
}

export function instantOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : instant(text);
}
