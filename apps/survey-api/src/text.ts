/** Whether a text has more than `maximum` characters, counted as Unicode code points. */
export function isLongerThan(text: string, maximum: number): boolean {
  if (text.length <= maximum) return false;
  if (text.length > 2 * maximum) return true;
  let count = 0;
  for (const _ of text) count += 1;
  return count > maximum;
}

/** Whether PostgreSQL can hold a text: it has no place for NUL, and half a surrogate pair is no character. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
