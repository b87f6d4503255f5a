import { Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { TOKEN_DATA_SOURCE, type DatabaseSchema } from '@cxp/storage';
import { ApiToken, ApiTokenRepository, ApiTokenVerifier } from './api-tokens';
import {
  AccountSessionVerifier,
  ServiceTokenVerifier,
  type AccountSessionOptions,
  type ServiceTokenKey,
} from './jwt';
import { CreateAccess1795824000000 } from './create-access';
import { Organization } from './organizations';

/** Every service reads this schema to authenticate. */
export const accessDatabase: DatabaseSchema = {
  name: 'access',
  schema: 'access',
  migrations: [CreateAccess1795824000000],
  entities: [Organization, ApiToken],
  isReadOnly: true,
};

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
