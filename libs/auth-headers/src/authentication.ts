import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ProblemError, type AuthenticationFailure } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { KeyedLimit, REQUEST_LIMIT_MS } from '@cxp/storage';
import { type AccessRule, AUTH_TYPES, type AuthType, type Principal } from './decorators';
import { ApiTokenVerifier } from './access/api-tokens';
import { AccountSessionVerifier, SERVICE_PERMISSION, ServiceTokenVerifier } from './access/jwt';
import { allows } from './access/permissions';

export interface AuthHeaders {
  readonly token: string;
  readonly organizationId: string;
  readonly authType: AuthType;
}

const BEARER = /^bearer +(\S+) *$/i;

/** @returns the headers, or what is wrong with `authorization`, `organization-id` or `auth-type` */
export function readAuthHeaders(headers: IncomingHttpHeaders): AuthHeaders | RefusedCredentials {
  const token = bearerToken(headers);
  const organizationId = singleValue(headers['organization-id'])?.trim();
  const sentType = singleValue(headers['auth-type'])?.trim();
  const authType = AUTH_TYPES.find((type) => type === sentType);
  if (!token) return { reason: 'missing_header', header: 'authorization' };
  if (!organizationId) return { reason: 'missing_header', header: 'organization-id' };
  if (!sentType) return { reason: 'missing_header', header: 'auth-type' };
  return authType ? { token, organizationId, authType } : { reason: 'auth_type_not_accepted' };
}

/** From `authorization: Bearer <token>`; the scheme is case-insensitive. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

export interface RefusedCredentials {
  readonly reason: AuthenticationFailure;
  readonly header?: string;
}

@Injectable()
export class Authenticator {
  constructor(
    private readonly apiTokens: ApiTokenVerifier,
    @Inject(AccountSessionVerifier) private readonly accountSessions: AccountSessionVerifier | null,
    @Inject(ServiceTokenVerifier) private readonly serviceTokens: ServiceTokenVerifier | null,
  ) {}

  /** @returns the caller, or what is wrong with the credentials */
  async authenticate(
    request: FastifyRequest,
    { authTypes, permission }: AccessRule,
  ): Promise<Principal | RefusedCredentials> {
    const headers = readAuthHeaders(request.headers);
    if ('reason' in headers) return headers;
    const { token, authType, organizationId } = headers;
    if (!authTypes.includes(authType)) return { reason: 'auth_type_not_accepted' };
    const found = await (authType === 'account'
      ? (this.accountSessions?.verify(token) ?? ('auth_type_not_accepted' as const))
      : this.serviceTokens && permission === SERVICE_PERMISSION && ServiceTokenVerifier.isCandidate(token)
        ? this.serviceTokens.verify(token)
        : this.apiTokens.verify(token));
    if (typeof found === 'string') return { reason: found };
    if (found.organizationId !== organizationId) return { reason: 'organization_mismatch' };
    const subject = 'id' in found ? found.id : 'accountId' in found ? found.accountId : found.service;
    return { organizationId, authType, subject, permissions: found.permissions };
  }

  /**
   * For a request that waited: its token may have been revoked or expired meanwhile.
   * @throws ProblemError 401, or by area 403
   */
  async confirmAccess(request: FastifyRequest): Promise<void> {
    const rule = request.routeOptions.config.access!;
    const principal = await this.authenticate(request, rule);
    if ('reason' in principal) throw new ProblemError({ code: 'unauthenticated', ...principal });
    const { permission } = rule;
    if (!allows(principal.permissions, permission))
      throw new ProblemError({ code: 'permission_missing', permission });
  }
}

/** Milliseconds that an accepted token passes despite failures from its address. */
const ACCEPTED_MS = 5_000;

/** Bounds memory: a forgotten token is refused only while others fail from the same address. */
const ACCEPTED_TOKENS = 10_000;

/**
 * Authentication whose failures are limited by client address, against guessing and its look-ups. Beyond the limit only tokens
 * that this process accepted recently pass.
 */
@Injectable()
export class LimitedAuthentication {
  private readonly accepted = new LRUCache<string, true>({ max: ACCEPTED_TOKENS, ttl: ACCEPTED_MS });
  /** One look-up of an unknown token at a time per address: concurrent ones could pass the limit together. */
  private readonly unknown: KeyedLimit;

  constructor(
    private readonly throttler: ApiThrottlerGuard,
    @Inject(REQUEST_LIMIT_MS) waitMs: number,
  ) {
    this.unknown = new KeyedLimit({ places: 1, waitMs });
  }

  /**
   * @param identify authenticates the request
   * @throws ProblemError 401, or 429 if the address has failed too often
   */
  async authenticate<Caller extends object>(
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
      : await this.unknown.run(request.clientAddress, async () => {
          await this.throttler.rejectIfFailedTooOften(request, reply);
          return attempt();
        });
    this.accepted.set(key, true);
    return caller;
  }
}

/**
 * Authenticates routes with `@RequirePermission` before the body is read, so that strangers can't make us hold bodies. Guards
 * run after the body and check permission and limits.
 */
export function authenticateCallers(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  limited: LimitedAuthentication,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { access } = request.routeOptions.config;
    if (!access) return done();
    const identify = () => authenticator.authenticate(request, access);
    limited.authenticate<Principal>(request, reply, identify).then((principal) => {
      request.principal = principal;
      request.caller = `organization:${principal.organizationId}`;
      done();
    }, done);
  });
}

const CONFIRM_EVERY_MS = 500;

/** Cuts a stream when its caller's token is revoked or expires. */
export function confirmStreams(fastify: FastifyInstance, authenticator: Authenticator): void {
  fastify.addHook('onSend', (request, { raw }, payload, done) => {
    if (request.principal && payload instanceof Readable && !raw.closed) {
      const confirm = () =>
        authenticator.confirmAccess(request).catch((error: unknown) => {
          if (error instanceof ProblemError) raw.destroy();
        });
      const timer = setInterval(() => void confirm(), CONFIRM_EVERY_MS).unref();
      raw.once('close', () => clearInterval(timer));
    }
    done(null, payload);
  });
}
