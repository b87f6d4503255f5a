import { hkdfSync, randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { SigningKey } from '@cxp/service-kit';
import { HintError } from './allowed-addresses';

/** JWE with `WEBHOOK_SECRET_KEYS`: the first key encrypts, all of them decrypt. */
export class WebhookSecrets {
  private readonly logger = new Logger(WebhookSecrets.name);
  private readonly keys: ReadonlyMap<string | undefined, Uint8Array>;

  constructor(keys: readonly SigningKey[] = []) {
    const derived = ({ secret }: SigningKey) =>
      hkdfSync('sha256', secret, '', 'webhook endpoint secrets', 32);
    this.keys = new Map(keys.map((key) => [key.id, new Uint8Array(derived(key))]));
  }

  static create(): string {
    return `whsec_${randomBytes(32).toString('base64')}`;
  }

  /** @returns undefined without keys */
  async encrypt(secret: string): Promise<string | undefined> {
    const [first] = this.keys;
    if (!first) return undefined;
    const header = { alg: 'dir', enc: 'A256GCM', kid: first[0] };
    return new CompactEncrypt(Buffer.from(secret)).setProtectedHeader(header).encrypt(first[1]);
  }

  /** @throws HintError if its key is gone */
  async decrypt(encrypted: string): Promise<string> {
    const { plaintext } = await compactDecrypt(encrypted, ({ kid }) => {
      const key = this.keys.get(kid);
      if (key) return key;
      // For the operator; the endpoint's reason is read by a tenant.
      this.logger.error(`WEBHOOK_SECRET_KEYS has no key ${kid}, which secrets of endpoints need`);
      throw new HintError('the secret of the endpoint can not be read: make a new one');
    });
    return Buffer.from(plaintext).toString();
  }
}
