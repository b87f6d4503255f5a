import type { IncomingMessage } from 'node:http';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { DocumentBuilder } from '@nestjs/swagger';
import { Registry } from 'prom-client';
import {
  AccessModule,
  type AccountSessionOptions,
  Authenticator,
  LimitedAuthentication,
  PermissionGuard,
  type ServiceTokenKey,
} from '@cxp/auth-headers';
import { envelopeByPath, EnvelopeFilter, type Envelope, type ValidationProblems } from '@cxp/error-envelopes';
import { ApiThrottlerGuard, perSecondAndMinute, RateLimitModule, type RateLimits } from '@cxp/rate-limit';
import { PostgresModule, RedisModule, REQUEST_LIMIT_MS, type DatabaseSchema } from '@cxp/storage';
import { Health } from './health/health';
import { HealthController } from './health/health.controller';
import { ApiValidationPipe } from './http/api-validation.pipe';
import { createRegistry } from './metrics/http-metrics';
import { MetricsController } from './metrics/metrics.controller';
import { ServiceSettings } from './settings/service-settings';

export interface AppModuleClass<Settings extends ServiceSettings = ServiceSettings> {
  readonly serviceName: string;
  readonly settings: new () => Settings;
  platform(settings: Settings): PlatformOptions;
  forRoot(settings: Settings): DynamicModule;
}

export interface PlatformOptions {
  readonly name: string;
  readonly port: number;
  readonly databases: readonly DatabaseSchema[];
  /** The area's error bodies and lists of a 422. */
  readonly envelope: Envelope;
  readonly validationProblems: ValidationProblems;
  /** Limits of an organization per endpoint, and those of `@ThrottledBy`. Failed authentication has settings of its own. */
  readonly rateLimits: RateLimits;
  /** Only areas that accept `auth-type: account` have these. */
  readonly accountSessions?: AccountSessionOptions;
  /** Only areas that take records from other services have these. */
  readonly serviceTokenKeys?: readonly ServiceTokenKey[];
  /** Only areas with websockets: whether a request opens one. */
  readonly acceptsUpgrade?: (request: IncomingMessage) => boolean;
  readonly document: DocumentBuilder;
}

/** Everything around the modules of an area: settings, stores, access, rate limits, errors, validation, health, metrics. */
@Module({})
export class PlatformModule {
  static forRoot<Settings extends ServiceSettings>(
    settings: Settings,
    options: PlatformOptions,
  ): DynamicModule {
    const registry = createRegistry(options.name);
    const shared = [
      { provide: settings.constructor as Type<Settings>, useValue: settings },
      { provide: ServiceSettings, useValue: settings },
      { provide: Registry, useValue: registry },
      { provide: REQUEST_LIMIT_MS, useValue: settings.CXP_TEST_DEADLINE_MS },
      Health,
      Authenticator,
      LimitedAuthentication,
    ];
    return {
      module: PlatformModule,
      global: true,
      imports: [
        PostgresModule.forRoot({
          url: settings.DATABASE_URL,
          applicationName: options.name,
          poolSize: settings.DATABASE_POOL_SIZE,
          requestMs: settings.CXP_TEST_DEADLINE_MS,
          areas: options.databases,
          isPooled: settings.DATABASE_POOLER === 'transaction',
        }),
        RedisModule.forRoot(settings.REDIS_URL),
        AccessModule.forRoot(options),
        RateLimitModule.forRoot(
          {
            ...options.rateLimits,
            UNAUTHENTICATED: perSecondAndMinute(settings, 'EXTERNAL_UNAUTHENTICATED'),
          },
          settings.TRUSTED_PROXIES,
        ),
      ],
      controllers: [HealthController, MetricsController],
      providers: [
        ...shared,
        // After the token the contract checks 403, then 429.
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_GUARD, useExisting: ApiThrottlerGuard },
        { provide: APP_FILTER, useValue: new EnvelopeFilter(envelopeByPath(options.envelope)) },
        { provide: APP_PIPE, useValue: new ApiValidationPipe(options.validationProblems) },
      ],
      exports: shared,
    };
  }
}
