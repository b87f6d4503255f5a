import { hash } from 'node:crypto';

/**
 * RFC 8785 (https://www.rfc-editor.org/rfc/rfc8785): sorted names, no white space, values as JavaScript writes them. The RFC
 * orders names by UTF-16 code units, like JavaScript.
 */
export function canonicalJson(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .map((name) => `${canonicalJson(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`);
  return `{${members.join(',')}}`;
}

/** Text that JSON writes as it is: without control characters, quotes, backslashes and halves of characters. */
const PLAIN = /^[ !#-[\]-\uD7FF\uE000-\uFFFF]*$/;

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

/**
 * The first 8 bytes of SHA-256 over canonical JSON, as a signed 64-bit integer, which PostgreSQL stores and combines with
 * `bit_xor` and `#`.
 */
export function rowDigest(value: unknown): bigint {
  return textDigest(canonicalJson(value));
}

/** @param canonical JSON */
export function textDigest(canonical: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', canonical).slice(0, 16)}`));
}

/** 16 hexadecimal digits. */
export function hexDigest(digest: bigint): string {
  return BigInt.asUintN(64, digest).toString(16).padStart(16, '0');
}

export function hexDigestSql(column: string): string {
  return `lpad(to_hex(${column}), 16, '0')`;
}
