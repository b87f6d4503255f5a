import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { OrganizationLimit, requestMs } from '@cxp/storage';
import { bearerToken, type RefusedCredentials } from './authenticator';

/** How long a token passes that was accepted, whatever fails beside it, in milliseconds. */
const ACCEPTED_MS = 5_000;

/** A bound on memory: whose token is forgotten is refused only while others fail from the same address. */
const ACCEPTED_TOKENS = 10_000;

/**
 * Limits failed authentication by client address, so that nobody guesses tokens at speed, or makes us look them up. Beyond the limit nothing
 * is looked up for the address, but for tokens that this process has accepted lately.
 */
@Injectable()
export class FailedAuthentication {
  /** By hash of the token. */
  private readonly accepted = new LRUCache<string, true>({ max: ACCEPTED_TOKENS, ttl: ACCEPTED_MS });
  /** Unknown tokens of an address are looked up one after the other: those that come at once can't pass the limit together. */
  private readonly unknown = new OrganizationLimit({ places: 1, waitMs: requestMs() });

  constructor(private readonly throttler: ApiThrottlerGuard) {}

  /**
   * @param identify finds out who has the token of the request
   * @throws ProblemError 401, or 429 if the address has failed too often
   */
  async limit<Caller extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    identify: () => Promise<Caller | RefusedCredentials>,
  ): Promise<Caller> {
    const key = hash('sha256', bearerToken(request.headers) ?? '', 'base64');
    const attempt = async () => {
      const caller = await identify();
      if (!('reason' in caller)) return caller;
      await this.throttler.countFailure(request, reply);
      throw new ProblemError({ code: 'unauthenticated', ...caller });
    };
    const caller = this.accepted.has(key)
      ? await attempt()
      : await this.unknown.run(await this.throttler.addressOf(request), async () => {
          await this.throttler.rejectIfFailedTooOften(request, reply);
          return attempt();
        });
    this.accepted.set(key, true);
    return caller;
  }
}
