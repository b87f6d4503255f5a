import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { byteaColumn, Statement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Bytes of a hash that are kept: enough that no two of 10¹⁵ keys have the same. */
export const HASH_BYTES = 16;

/** Hashes and encrypts with the secret of an area. */
export class ErasureSecret {
  private constructor(private readonly secret: Buffer) {}

  static async read(manager: EntityManager, schema: string): Promise<ErasureSecret> {
    const read = new Statement(
      { secret: byteaColumn('secret') },
      (list) => `SELECT ${list} FROM ${schema}.erasure_secret`,
    );
    return new ErasureSecret((await read.first(manager, []))!.secret);
  }

  /** @param parts the same texts give the same hash; no two lists of texts are alike */
  hash(...parts: readonly string[]): Buffer {
    const text = JSON.stringify(parts);
    return createHmac('sha256', this.secret).update(text).digest().subarray(0, HASH_BYTES);
  }

  /** @param context has to be the same when it is decrypted */
  encrypt(plain: string, ...context: readonly string[]): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.secret, nonce).setAAD(Buffer.from(JSON.stringify(context)));
    const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
  }

  /** @returns undefined unless this secret has encrypted it in the same context */
  decrypt(encrypted: Buffer, ...context: readonly string[]): string | undefined {
    if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const nonce = encrypted.subarray(0, NONCE_BYTES);
    const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.secret, nonce)
      .setAAD(Buffer.from(JSON.stringify(context)))
      .setAuthTag(tag);
    try {
      const rest = encrypted.subarray(NONCE_BYTES + TAG_BYTES);
      return decipher.update(rest, undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
