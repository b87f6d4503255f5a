import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { WatchedClient } from './watched-client';

export interface PostgresOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly poolSize: number;
}

/** How long a request may wait for a free or new connection before it is answered 503, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1_500;

/** The most one statement of a request may take on the server, in milliseconds; bulk work sets its own. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** The longest that a transaction may wait for its client: one that vanished must not keep its locks. In milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** One pool per service, injected as TypeORM's `DataSource`. SQL is written in repositories; there are no entities. */
@Module({})
export class PostgresModule {
  static forRoot(options: PostgresOptions): DynamicModule {
    return {
      module: PostgresModule,
      imports: [
        TypeOrmModule.forRoot({
          type: 'postgres',
          url: options.url,
          applicationName: options.applicationName,
          poolSize: options.poolSize,
          connectTimeoutMS: CONNECT_TIMEOUT_MS,
          extra: {
            Client: WatchedClient,
            statement_timeout: STATEMENT_TIMEOUT_MS,
            idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
            keepAlive: true,
          },
          // A database that is not there yet is waited for: the service is not ready until it comes.
          retryAttempts: Number.MAX_SAFE_INTEGER,
          retryDelay: 1_000,
        }),
      ],
      exports: [TypeOrmModule],
    };
  }
}
