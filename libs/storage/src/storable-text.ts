type Path = (string | number)[];

/**
 * Finds strings with a NUL or half a surrogate pair, which PostgreSQL can't store.
 * @param most stops the search: one is enough to refuse a value
 * @returns their paths; properties with such names are not searched
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

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
