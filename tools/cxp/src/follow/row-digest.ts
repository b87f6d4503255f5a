import { createHash } from 'node:crypto';

/** The digests of `conversation-session-digests` and `survey-response-digests` are the XOR of digests of 8 bytes. */
export type Digest = bigint;

export const NO_ROWS: Digest = 0n;

/** The first 8 bytes of SHA-256 over the canonical JSON. */
export function digestOf(value: unknown): Digest {
  return createHash('sha256').update(canonicalJson(value)).digest().readBigUInt64BE();
}

export function digestText(digest: Digest): string {
  return digest.toString(16).padStart(16, '0');
}

/** RFC 8785: members in the order of the UTF-16 code units of their names, no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
