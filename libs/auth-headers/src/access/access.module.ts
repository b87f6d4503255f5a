import { Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { TOKEN_DATA_SOURCE } from '@cxp/storage';
import { AccountSessionVerifier, type AccountSessionOptions } from './account-sessions/account-session';
import { ApiTokenRepository } from './api-tokens/api-token.repository';
import { ApiTokenVerifier } from './api-tokens/api-token-verifier';
import { ServiceTokenVerifier, type ServiceTokenKey } from './service-tokens/service-token';

export interface AccessOptions {
  readonly accountSessions?: AccountSessionOptions;
  readonly serviceTokenKeys?: readonly ServiceTokenKey[];
}

@Module({})
export class AccessModule {
  static forRoot({ accountSessions, serviceTokenKeys }: AccessOptions = {}): DynamicModule {
    const verifiers = [
      {
        provide: ApiTokenVerifier,
        inject: [getDataSourceToken(TOKEN_DATA_SOURCE)],
        useFactory: (dataSource: DataSource) =>
          new ApiTokenVerifier(new ApiTokenRepository(dataSource.manager)),
      },
      {
        provide: AccountSessionVerifier,
        useFactory: () => (accountSessions ? new AccountSessionVerifier(accountSessions) : null),
      },
      {
        provide: ServiceTokenVerifier,
        useFactory: () => (serviceTokenKeys ? new ServiceTokenVerifier(serviceTokenKeys) : null),
      },
    ];
    return { module: AccessModule, global: true, providers: verifiers, exports: verifiers };
  }
}
