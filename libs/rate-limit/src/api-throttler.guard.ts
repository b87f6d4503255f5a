import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Module, type DynamicModule, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { ClientAddresses } from './client-addresses';
import {
  rateLimitHeaders,
  RedisThrottlerStorage,
  rejectIfOver,
  ThrottledBy,
  type RateLimits,
  type RateLimitWindow,
} from './rate-limits';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated organization or session, set by its guard; without it the client address counts. */
    caller?: string;
    /** Whose its unread answer is, if calls are counted by something smaller. */
    holder?: string;
    /** By `ClientAddresses`. */
    readonly clientAddress: string;
  }
}

const RATE_LIMITS = Symbol('rate limits');

interface ThrottledRoute {
  readonly windows: readonly RateLimitWindow[];
  readonly ownLimits: string | undefined;
  readonly endpoint: string;
}

/**
 * Limits `/external` by caller and endpoint, and public routes with `@ThrottledBy` by client address. Unlike the package's
 * guard it counts all windows in one round trip and sends the contract's headers.
 */
@Injectable()
export class ApiThrottlerGuard extends ThrottlerGuard {
  declare protected readonly storageService: RedisThrottlerStorage;
  @Inject(RATE_LIMITS)
  private readonly limits: RateLimits;
  @Inject(ClientAddresses)
  private readonly addresses: ClientAddresses;
  private readonly routes = new WeakMap<object, ThrottledRoute>();

  /** @throws ProblemError 429 over the limit */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await this.throttle(context, 1);
    return true;
  }

  /** Adds the headers to an answer that is not counted. */
  describe(context: ExecutionContext): Promise<void> {
    return this.throttle(context, 0);
  }

  /**
   * Counts a failed authentication by client address.
   * @throws ProblemError 429 over the limit
   */
  countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.hitFailures(request, reply, 1);
  }

  /** @throws ProblemError 429 if the client address has used up its failures */
  rejectIfFailedTooOften(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return this.hitFailures(request, reply, 0);
  }

  /** For an upgrade, which Fastify does not see. */
  async countFailedUpgrade(request: IncomingMessage): Promise<void> {
    rejectIfOver(await this.failuresOf(this.addresses.of(request), 1));
  }

  private async hitFailures(request: FastifyRequest, reply: FastifyReply, hits: 0 | 1): Promise<void> {
    const verdict = await this.failuresOf(request.clientAddress, hits);
    if (isExternal(request) && (hits === 1 || !verdict.allowed))
      void reply.headers(rateLimitHeaders(verdict));
    rejectIfOver(verdict);
  }

  private failuresOf(address: string, hits: 0 | 1) {
    return this.storageService.hit(`address:${address}`, this.windowsOf('UNAUTHENTICATED'), hits);
  }

  /** Counts what is no request by the limits of requests. */
  async isAllowed(key: string): Promise<boolean> {
    return (await this.storageService.hit(key, this.windowsOf(undefined))).allowed;
  }

  private async throttle(context: ExecutionContext, hits: 0 | 1): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { windows, ownLimits, endpoint } = this.routeOf(context, request);
    const { caller } = request;
    const isCounted = isExternal(request) && caller !== undefined;
    if (!isCounted && !ownLimits) return;
    const key = isCounted ? `${caller}:${endpoint}` : `${ownLimits}:${request.clientAddress}`;
    const verdict = await this.storageService.hit(key, windows, hits);
    if (isCounted) void http.getResponse<FastifyReply>().headers(rateLimitHeaders(verdict));
    if (hits > 0) rejectIfOver(verdict);
  }

  private routeOf(context: ExecutionContext, { routeOptions: { config } }: FastifyRequest): ThrottledRoute {
    // Several controllers can inherit one handler, so it is no key.
    const known = this.routes.get(config);
    if (known) return known;
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const ownLimits = this.reflector.getAllAndOverride(ThrottledBy, [handler, controller]);
    const windows = this.windowsOf(ownLimits);
    // Services that share a Redis have endpoints of the same controllers.
    const endpoint = `${windows[0]!.name}:${controller.name}.${handler.name}`;
    const route = { windows, ownLimits, endpoint };
    this.routes.set(config, route);
    return route;
  }

  private windowsOf(name = 'default'): readonly RateLimitWindow[] {
    const windows = this.limits[name];
    if (!windows) throw new Error(`the service has no limits ${name}`);
    return windows;
  }
}

/** The URL can be written in many ways. */
function isExternal({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith('/external') ?? false;
}

@Module({})
export class RateLimitModule {
  static forRoot(limits: RateLimits, trustedProxies: readonly string[]): DynamicModule {
    const throttler = ThrottlerModule.forRootAsync({
      inject: [Redis],
      useFactory: (redis: Redis) => ({
        throttlers: Object.values(limits).flat(),
        storage: new RedisThrottlerStorage(redis),
      }),
    });
    return {
      module: RateLimitModule,
      global: true,
      imports: [throttler],
      providers: [
        ApiThrottlerGuard,
        { provide: RATE_LIMITS, useValue: limits },
        { provide: ClientAddresses, useValue: new ClientAddresses(trustedProxies) },
      ],
      exports: [ApiThrottlerGuard, ClientAddresses],
    };
  }
}
