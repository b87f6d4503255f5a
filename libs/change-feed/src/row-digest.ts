import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json';

/**
 * The first 8 bytes of SHA-256 over a value's canonical JSON, as the signed integer of 64 bits that PostgreSQL stores and
 * combines with `bit_xor` and `#`.
 */
export function rowDigest(value: unknown): bigint {
  return textDigest(canonicalJson(value));
}

/** The same of a value that is canonical JSON already. */
export function textDigest(canonical: string): bigint {
  return hash('sha256', canonical, 'buffer').readBigInt64BE(0);
}

/** A stored digest as it is answered: 16 hexadecimal digits. */
export function hexDigest(digest: bigint): string {
  return BigInt.asUintN(64, digest).toString(16).padStart(16, '0');
}

/** The same in SQL, of a column. */
export function hexDigestSql(column: string): string {
  return `lpad(to_hex(${column}), 16, '0')`;
}
