/**
 * Folds case independently of the database's locale, and composes accents, because the same Vietnamese name can be typed in two
 * ways. The two forms of a Greek sigma are equal.
 */
export function searchableName(name: string): string {
  return name.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Escapes `%` and `_`. */
export function searchPattern(term: string): string {
  return `%${searchableName(term).replace(/[\\%_]/g, '\\$&')}%`;
}
