import { timingSafeEqual } from 'node:crypto';
import { hashApiToken, isWellFormedApiToken } from './api-token-format';
import type { ApiToken, ApiTokenRepository } from './api-token.repository';

/** The longest a revoked token can still pass. */
const CACHE_MS = 5_000;

/** A bound on memory, not on correctness: the oldest entry makes room. */
const CACHE_ENTRIES = 10_000;

/** Tells who holds a token. Only tokens that exist are remembered, so a new one works at once. */
export class ApiTokenVerifier {
  private readonly cache = new Map<string, { found: Promise<ApiToken | undefined>; until: number }>();

  constructor(private readonly repository: ApiTokenRepository) {}

  /** @returns the token if it exists, has not expired and is not revoked */
  async verify(token: string): Promise<ApiToken | undefined> {
    if (!isWellFormedApiToken(token)) return undefined;
    const found = await this.lookUp(hashApiToken(token));
    const valid = found && !found.revokedAt && (!found.expiresAt || found.expiresAt.getTime() > Date.now());
    return valid ? found : undefined;
  }

  private lookUp(hash: Buffer): Promise<ApiToken | undefined> {
    const key = hash.toString('base64');
    const cached = this.cache.get(key);
    if (cached && cached.until > performance.now()) return cached.found;

    const found = this.read(hash);
    this.cache.delete(key);
    this.cache.set(key, { found, until: performance.now() + CACHE_MS });
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    const forget = () => {
      if (this.cache.get(key)?.found === found) this.cache.delete(key);
    };
    found.then((row) => row ?? forget(), forget);
    return found;
  }

  private async read(hash: Buffer): Promise<ApiToken | undefined> {
    const row = await this.repository.findByHash(hash);
    return row && timingSafeEqual(row.hash, hash) ? row : undefined;
  }
}
