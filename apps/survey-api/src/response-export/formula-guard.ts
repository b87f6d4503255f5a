const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?$/;
const PHONE_CHARACTERS = /^\+?[\d .()-]+$/;

/**
 * Defuses a cell that a spreadsheet would run as a formula with a leading apostrophe. Phone numbers and plain numbers
 * stay as they are: nothing runs in them, and an apostrophe would spoil them for whoever reads the file.
 */
export function guardFormula(cell: string): string {
  return FORMULA_START.test(cell) && !isNumberOrPhone(cell) ? `'${cell}` : cell;
}

function isNumberOrPhone(cell: string): boolean {
  return PLAIN_NUMBER.test(cell) || (PHONE_CHARACTERS.test(cell) && /\d/.test(cell));
}
