import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json';

/**
 * The first 8 bytes of SHA-256 over canonical JSON, as a signed 64-bit integer, which PostgreSQL stores and combines with
 * `bit_xor` and `#`.
 */
export function rowDigest(value: unknown): bigint {
  return textDigest(canonicalJson(value));
}

/** @param canonical JSON */
export function textDigest(canonical: string): bigint {
  return hash('sha256', canonical, 'buffer').readBigInt64BE(0);
}

/** 16 hexadecimal digits. */
export function hexDigest(digest: bigint): string {
  return BigInt.asUintN(64, digest).toString(16).padStart(16, '0');
}

export function hexDigestSql(column: string): string {
  return `lpad(to_hex(${column}), 16, '0')`;
}
