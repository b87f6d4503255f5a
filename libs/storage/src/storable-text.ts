type Path = (string | number)[];

/**
 * The places in a JSON value of strings that PostgreSQL can't store: with a NUL, or with half a surrogate pair.
 * @param most how many are looked for: one is enough to refuse a value, and nobody reads ten thousand
 * @returns the path to each; a property whose name can't be stored is not looked into
 */
export function unstorableTextPaths(value: unknown, most = 100): Path[] {
  const found: Path[] = [];
  const path: Path = [];
  const visit = (item: unknown): void => {
    if (typeof item === 'string') {
      if (!isStorable(item)) found.push([...path]);
    } else if (Array.isArray(item)) {
      for (let index = 0; index < item.length && found.length < most; index++) step(index, item[index]);
    } else if (typeof item === 'object' && item !== null) {
      for (const key of Object.keys(item)) {
        if (found.length >= most) return;
        if (isStorable(key)) step(key, (item as Record<string, unknown>)[key]);
        else found.push([...path, key]);
      }
    }
  };
  const step = (name: string | number, item: unknown): void => {
    path.push(name);
    visit(item);
    path.pop();
  };
  visit(value);
  return found;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
