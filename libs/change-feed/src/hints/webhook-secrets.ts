import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SigningKey } from '@cxp/service-kit';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts the secrets of endpoints with `WEBHOOK_SECRET_KEYS`: the first key encrypts, all of them decrypt. */
export class WebhookSecrets {
  private readonly keys: ReadonlyMap<string, Buffer>;

  constructor(keys: readonly SigningKey[] = []) {
    const derived = ({ secret }: SigningKey) =>
      Buffer.from(hkdfSync('sha256', secret, '', 'webhook endpoint secrets', KEY_BYTES));
    this.keys = new Map(keys.map((key) => [key.id, derived(key)]));
  }

  /** A new secret, as Standard Webhooks writes it. */
  static create(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  /**
   * @param context has to be the same when it is decrypted
   * @returns undefined if there are no keys
   */
  encrypt(secret: string, context: string): string | undefined {
    const [first] = this.keys;
    if (!first) return undefined;
    const [id, key] = first;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `${id}:${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')}`;
  }

  /** @throws Error if it was encrypted with a key that there is no more, or for another context */
  decrypt(stored: string, context: string): string {
    const [id = '', text = ''] = stored.split(':');
    const key = this.keys.get(id);
    if (!key) throw new Error(`WEBHOOK_SECRET_KEYS has no key ${id}`);
    const bytes = Buffer.from(text, 'base64');
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
    return decipher.update(bytes.subarray(tagEnd), undefined, 'utf8') + decipher.final('utf8');
  }
}
