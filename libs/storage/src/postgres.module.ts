import { Injectable, Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import * as pg from 'pg';
import { DataSource } from 'typeorm';
import type { DatabaseArea } from './database-area';
import { PostgresProbe } from './postgres-probe';
import { SharedPool } from './shared-pool';
import { failureReason, storeAddress, UnusableStoreError } from './store-address';
import { WatchedClient, type StatementLimits } from './watched-client';

export interface PostgresOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** Whether a pooler between gives a server connection to each transaction. */
  readonly isPooled: boolean;
  /** What the service serves from. */
  readonly areas: readonly DatabaseArea[];
  /** Is told the milliseconds of each statement, but not of those that ask whether a server is there. */
  readonly onStatement?: (milliseconds: number) => void;
}

/** The name of the data source that API tokens are looked up in: `@InjectDataSource(TOKEN_DATA_SOURCE)`. */
export const TOKEN_DATA_SOURCE = 'tokens';

/** Connections that tokens are looked up over: a look-up takes a millisecond, and only one in 5 seconds for each token. */
const TOKEN_POOL_SIZE = 2;

/** The name of the data source whose connections hold exclusive locks: `@InjectDataSource(LOCK_DATA_SOURCE)`. */
export const LOCK_DATA_SOURCE = 'locks';

/** The most locks that a process holds at the same time: that of the relay or the reader of the record stream, and that of retention. */
const LOCK_POOL_SIZE = 2;

/**
 * Connections of a process beside its pool: those for tokens and locks, the one for readiness, and the one over which `BackendActivity`
 * asks.
 */
export const CONNECTIONS_BESIDE_POOL = TOKEN_POOL_SIZE + LOCK_POOL_SIZE + 2;

/** How long a request may wait for a free or new connection before it is answered 503, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1_500;

/** How long a look-up of a token may take, in milliseconds. */
const TOKEN_TIMEOUT_MS = 1_500;

/**
 * The most one statement may take on the server, in milliseconds; bulk work sets its own. A statement of a request is cancelled
 * when the request's time is over: this is for statements whose process or whose cancel request is lost.
 */
const STATEMENT_TIMEOUT_MS = 30_000;

/** The longest that a transaction may wait for its client: one that vanished must not keep its locks. In milliseconds. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Compiling a statement takes longer than any of a request; PostgreSQL does it for costs that it overestimates. And what SET LOCAL says holds on
 * the workers of a Citus cluster; any other PostgreSQL takes no notice of that.
 */
const SESSION_SETTINGS = { options: '-c jit=off -c citus.propagate_set_commands=local' };

/** As `server_version_num`. */
const MIN_VERSION = 150_000;

const logger = new Logger('PostgresModule');

/** How long readiness waits for PostgreSQL, in milliseconds. */
const PROBE_TIMEOUT_MS = 1_000;

/**
 * The connections of a service: a pool for its requests and its background work, injected as TypeORM's `DataSource` or
 * `EntityManager`, and, so that none of them waits for what a request waits for, two connections for API tokens, two for
 * exclusive locks and one for readiness. SQL is written in repositories; there are no entities.
 */
@Module({})
export class PostgresModule {
  static forRoot({
    url,
    applicationName,
    poolSize,
    areas,
    isPooled,
    onStatement,
  }: PostgresOptions): DynamicModule {
    const limits = statementLimits(STATEMENT_TIMEOUT_MS, isPooled);
    const probe = new PostgresProbe(
      url,
      `${applicationName} ready`,
      statementLimits(PROBE_TIMEOUT_MS, isPooled),
      areas,
    );
    return {
      module: PostgresModule,
      global: true,
      imports: [
        TypeOrmModule.forRoot(connections(url, applicationName, poolSize, limits, onStatement)),
        TypeOrmModule.forRoot({
          name: TOKEN_DATA_SOURCE,
          ...connections(
            url,
            `${applicationName} tokens`,
            TOKEN_POOL_SIZE,
            statementLimits(TOKEN_TIMEOUT_MS, isPooled),
            onStatement,
          ),
        }),
        TypeOrmModule.forRoot({
          name: LOCK_DATA_SOURCE,
          ...connections(url, `${applicationName} locks`, LOCK_POOL_SIZE, limits, onStatement),
        }),
      ],
      providers: [{ provide: PostgresProbe, useValue: probe }, ServerVersion],
      exports: [TypeOrmModule, PostgresProbe],
    };
  }
}

function statementLimits(timeoutMs: number, isPooled: boolean): StatementLimits {
  return isPooled
    ? { pooledSilenceMs: timeoutMs }
    : { statement_timeout: timeoutMs, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS };
}

function connections(
  url: string,
  applicationName: string,
  poolSize: number,
  limits: StatementLimits,
  onStatement: PostgresOptions['onStatement'],
): TypeOrmModuleOptions {
  return {
    type: 'postgres',
    url,
    applicationName,
    poolSize,
    driver: { ...pg, Pool: SharedPool },
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: {
      Client: WatchedClient,
      ...limits,
      ...(!('pooledSilenceMs' in limits) && SESSION_SETTINGS),
      keepAlive: true,
      onStatement,
    },
    // A database that is not there yet is waited for: the service is not ready until it comes.
    retryAttempts: Number.MAX_SAFE_INTEGER,
    retryDelay: 1_000,
    toRetry: (error: unknown) => {
      const reason = failureReason(error);
      const hint = /unsupported startup parameter/.test(reason) ? ' (set DATABASE_POOLER=transaction)' : '';
      logger.warn(`PostgreSQL at ${storeAddress(url)} can't be used: ${reason}${hint}; trying again`);
      return true;
    },
  };
}

/** Stops a start on a server that is too old. */
@Injectable()
class ServerVersion implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    const [{ version, name }] = await this.dataSource.query<[{ version: number; name: string }]>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name`,
    );
    if (version < MIN_VERSION) {
      throw new UnusableStoreError(`PostgreSQL ${name} is too old: 15 or newer is needed`);
    }
  }
}
