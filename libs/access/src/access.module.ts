import { Module, type DynamicModule } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountSessionVerifier, type AccountSessionKey } from './account-sessions/account-session';
import { ApiTokenRepository } from './api-tokens/api-token.repository';
import { ApiTokenVerifier } from './api-tokens/api-token-verifier';

/** Provides what tells who is calling; account sessions only where a key is given. */
@Module({})
export class AccessModule {
  static forRoot({ accountSessionKey }: { accountSessionKey?: AccountSessionKey } = {}): DynamicModule {
    const verifiers = [
      {
        provide: ApiTokenVerifier,
        inject: [DataSource],
        useFactory: (dataSource: DataSource) => new ApiTokenVerifier(new ApiTokenRepository(dataSource)),
      },
      {
        provide: AccountSessionVerifier,
        useFactory: () => (accountSessionKey ? new AccountSessionVerifier(accountSessionKey) : null),
      },
    ];
    return { module: AccessModule, global: true, providers: verifiers, exports: verifiers };
  }
}
