/**
 * Where in a JSON value strings stand that PostgreSQL can't store: with a NUL, or with half a surrogate pair.
 * @returns the path to each; a property whose name is the trouble is not looked into
 */
export function unstorableTextPaths(value: unknown): (string | number)[][] {
  if (typeof value === 'string') return isStorable(value) ? [] : [[]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (!isStorable(key)) return [[key]];
    const step = Array.isArray(value) ? Number(key) : key;
    return unstorableTextPaths(item).map((path) => [step, ...path]);
  });
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
