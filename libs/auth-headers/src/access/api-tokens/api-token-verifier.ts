import { hashApiToken, isWellFormedApiToken } from './api-token-format';
import type { ApiToken } from './api-token.entity';
import type { ApiTokenRepository } from './api-token.repository';

export type TokenFailure = 'unknown_token' | 'expired_token';

/** Milliseconds that a revoked token may still pass; five seconds are promised. Streams check every half second. */
const CACHE_MS = 4_000;

/** Bounds memory; the oldest entry goes first. */
const CACHE_ENTRIES = 10_000;

/** Caches existing tokens only, so that a new one works at once. */
export class ApiTokenVerifier {
  private readonly cache = new Map<string, { found: Promise<ApiToken | null>; until: number }>();

  constructor(private readonly repository: ApiTokenRepository) {}

  /** @returns the valid token, or what is wrong with it */
  async verify(token: string): Promise<ApiToken | TokenFailure> {
    if (!isWellFormedApiToken(token)) return 'unknown_token';
    const hash = hashApiToken(token);
    const key = hash.toString('base64');
    const found = await this.lookUp(key, hash);
    if (!found || found.revokedAt) return 'unknown_token';
    const isExpired = found.expiresAt !== null && found.expiresAt.getTime() <= Date.now();
    return isExpired ? 'expired_token' : found;
  }

  private lookUp(key: string, hash: Buffer): Promise<ApiToken | null> {
    const cached = this.cache.get(key);
    if (cached && cached.until > performance.now()) return cached.found;

    const found = this.repository.findByHash(hash);
    this.cache.delete(key);
    this.cache.set(key, { found, until: performance.now() + CACHE_MS });
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    const forget = () => {
      if (this.cache.get(key)?.found === found) this.cache.delete(key);
    };
    found.then((row) => row ?? forget(), forget);
    return found;
  }
}
