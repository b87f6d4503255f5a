/**
 * A name in the form that is searched: without case, independent of the locale of the database, and with accents composed,
 * because the same Vietnamese name can be typed in two ways. The two forms of a Greek sigma are one.
 */
export function searchableName(name: string): string {
  return name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** A LIKE pattern for names that contain the term; `%` and `_` in it are plain characters. */
export function searchPattern(term: string): string {
  return `%${searchableName(term).replace(/[\\%_]/g, '\\$&')}%`;
}
