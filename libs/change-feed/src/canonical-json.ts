/**
 * RFC 8785 (https://www.rfc-editor.org/rfc/rfc8785): sorted names, no white space, values as JavaScript writes them. The RFC
 * orders names by UTF-16 code units, like JavaScript.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${canonicalJson(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${members.join(',')}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** `canonicalJson` for objects with the same members, whose names are sorted once. */
export function canonicalWriter<Value extends object>(
  names: readonly (keyof Value & string)[],
): (value: Value) => string {
  const members = [...names]
    .sort()
    .map((name, place) => ({ name, start: `${place > 0 ? ',' : ''}${JSON.stringify(name)}:` }));
  return (value) => {
    let text = '{';
    for (const { name, start } of members) text += start + canonicalJson(value[name]);
    return `${text}}`;
  };
}
