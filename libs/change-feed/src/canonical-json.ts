/**
 * Canonical JSON: sorted names, no white space, one way to write each value. Names are compared by UTF-16 code units, which
 * is JavaScript's own order, and values are written as JavaScript writes them.
 * https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${members.join(',')}}`;
}

/** Text that JSON writes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Writes objects that all have the same members as `canonicalJson` does: their names are sorted once, and not for each.
 * @param names of the members
 */
export function canonicalWriter<Value extends object>(
  names: readonly (keyof Value & string)[],
): (value: Value) => string {
  const members = [...names]
    .sort()
    .map((name, place) => ({ name, start: `${place > 0 ? ',' : ''}${JSON.stringify(name)}:` }));
  return (value) => {
    let text = '{';
    for (const { name, start } of members) text += start + memberJson(value[name]);
    return `${text}}`;
  };
}

function memberJson(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : canonicalJson(value);
}
