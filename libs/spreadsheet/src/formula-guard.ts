const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?$/;
const PHONE_CHARACTERS = /^\+?[\d .()-]+$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would run as a formula: one that starts with `=`, `+`, `-`, `@`, a
 * tab or a carriage return. Phone numbers and plain numbers stay as they are: they run nothing, and an apostrophe would
 * change their value for programs that read the file.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) && !isNumberOrPhone(text) ? `'${text}` : text;
}

function isNumberOrPhone(text: string): boolean {
  return PLAIN_NUMBER.test(text) || (PHONE_CHARACTERS.test(text) && /\d/.test(text));
}
