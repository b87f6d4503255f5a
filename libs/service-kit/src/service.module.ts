import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { Registry } from 'prom-client';
import { AccessModule } from '@cxp/access';
import { AccessGuard, AuthenticationGuard } from '@cxp/auth-headers';
import { EnvelopeFilter } from '@cxp/error-envelopes';
import { perSecondAndMinute, RateLimitGuard, RateLimitModule } from '@cxp/rate-limit';
import { PostgresModule, RedisModule } from '@cxp/storage';
import { Health } from './health/health';
import { HealthController } from './health/health.controller';
import { ContractValidationPipe } from './http/contract-validation.pipe';
import { createRegistry } from './metrics/http-metrics';
import { MetricsController } from './metrics/metrics.controller';
import type { ServiceDefinition } from './service-definition';
import { ServiceSettings } from './settings/service-settings';

/** What every service is made of, around its area's own modules. */
@Module({})
export class ServiceModule {
  static forRoot<Settings extends ServiceSettings>(
    service: ServiceDefinition<Settings>,
    settings: Settings,
  ): DynamicModule {
    const registry = createRegistry(service.name);
    const shared = [
      { provide: service.settings, useValue: settings },
      { provide: ServiceSettings, useValue: settings },
      { provide: Registry, useValue: registry },
      Health,
    ];
    return {
      module: ServiceModule,
      global: true,
      imports: [
        PostgresModule.forRoot({
          url: settings.DATABASE_URL,
          applicationName: service.name,
          poolSize: settings.DATABASE_POOL_SIZE,
        }),
        RedisModule.forRoot(settings.REDIS_URL),
        AccessModule.forRoot({ accountSessionKey: service.accountSessionKey?.(settings) }),
        RateLimitModule.forRoot({
          authenticated: service.rateLimits(settings),
          unauthenticated: perSecondAndMinute(
            settings.EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT,
            settings.EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT,
          ),
        }),
        ...(service.imports(settings) ?? []),
      ],
      controllers: [HealthController, MetricsController],
      providers: [
        ...shared,
        // The order is the contract's: who is it, how often, may they.
        { provide: APP_GUARD, useClass: AuthenticationGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useValue: new EnvelopeFilter(service.envelope) },
        { provide: APP_PIPE, useValue: new ContractValidationPipe(service.validationProblems) },
      ],
      exports: shared,
    };
  }
}
