import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { Registry } from 'prom-client';
import { AccessModule } from '@cxp/access';
import { AccessGuard, Authenticator } from '@cxp/auth-headers';
import { envelopeByPath, EnvelopeFilter } from '@cxp/error-envelopes';
import { perSecondAndMinute, RateLimitModule } from '@cxp/rate-limit';
import { PostgresModule, RedisModule } from '@cxp/storage';
import { Health } from './health/health';
import { HealthController } from './health/health.controller';
import { ContractValidationPipe } from './http/contract-validation.pipe';
import { OfferedMediaTypesGuard } from './http/offered-media-types';
import { createRegistry } from './metrics/http-metrics';
import { MetricsController } from './metrics/metrics.controller';
import { measureStatements } from './metrics/store-metrics';
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
      Authenticator,
    ];
    return {
      module: ServiceModule,
      global: true,
      imports: [
        PostgresModule.forRoot({
          url: settings.DATABASE_URL,
          applicationName: service.name,
          poolSize: settings.DATABASE_POOL_SIZE,
          areas: service.databases,
          onStatement: measureStatements(registry),
          isPooled: settings.DATABASE_POOLER === 'transaction',
        }),
        RedisModule.forRoot(settings.REDIS_URL),
        AccessModule.forRoot({ accountSessions: service.accountSessions?.(settings) }),
        RateLimitModule.forRoot({
          ...service.rateLimits(settings),
          unauthenticated: perSecondAndMinute(settings, 'EXTERNAL_UNAUTHENTICATED'),
        }),
        ...(service.imports(settings) ?? []),
      ],
      controllers: [HealthController, MetricsController],
      providers: [
        ...shared,
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: OfferedMediaTypesGuard },
        { provide: APP_FILTER, useValue: new EnvelopeFilter(envelopeByPath(service.envelope)) },
        { provide: APP_PIPE, useValue: new ContractValidationPipe(service.validationProblems) },
      ],
      exports: shared,
    };
  }
}
