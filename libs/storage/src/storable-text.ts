/**
 * Where in a JSON value a string stands that PostgreSQL can't store: one with a NUL, or with half a surrogate pair.
 * @returns the path to it, undefined when there is none
 */
export function unstorableTextPath(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    if (!isStorable(key)) return [key];
    const path = unstorableTextPath(item);
    if (path) return [step, ...path];
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
