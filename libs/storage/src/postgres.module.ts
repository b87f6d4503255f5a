import { Injectable, Logger, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { Client, type ClientBase, type ClientConfig, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { type DatabaseSchema, entitiesOf } from './database-schema';
import { LimitedDataSource } from './limited-data-source';
import { PostgresProbe, refuseStandby } from './postgres-probe';
import { failureReason, storeAddress, UnusableStoreError } from './failures';
import { requestTimes, WORK_TIMES, type Times } from './times';

declare module 'pg' {
  interface ClientBase {
    readonly processID: number;
  }
}

export interface PostgresOptions {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** Milliseconds of a request. */
  readonly requestMs: number;
  /** Whether a transaction pooler is in between. */
  readonly isPooled: boolean;
  readonly areas: readonly DatabaseSchema[];
}

export const TOKEN_DATA_SOURCE = 'tokens';

/** A look-up takes a millisecond, once in 4 seconds for each token. */
const TOKEN_POOL_SIZE = 2;

export const WORK_DATA_SOURCE = 'work';

/** The job that removes expired data uses two, one of them for its lock. */
const WORK_POOL_SIZE = 4;

/** The connections of a process beside the pool for requests; one is for readiness. */
export const CONNECTIONS_BESIDE_POOL = TOKEN_POOL_SIZE + WORK_POOL_SIZE + 1;

/** Milliseconds that a request waits for a free connection. */
const WAIT_MS = 1_500;

/** Milliseconds that background work waits for a free connection. */
const WORK_WAIT_MS = 15_000;

const CONNECT_TIMEOUT_MS = 1_500;

/** Milliseconds between questions about a running query. */
const WATCH_MS = 1_000;

/** As `server_version_num`. */
const MIN_VERSION = 150_000;

const logger = new Logger('PostgresModule');

/**
 * The pools of a service: one for requests (TypeORM's `DataSource` or `EntityManager`), one for background work and intakes,
 * two connections for API tokens, one for readiness. An organization uses at most half of each.
 */
@Module({})
export class PostgresModule {
  static forRoot(options: PostgresOptions): DynamicModule {
    const { url, applicationName, poolSize, requestMs, areas, isPooled } = options;
    const times = requestTimes(requestMs);
    const start = new Start();
    const clients: WatchedClients = new Set();
    const connections = (name: string | undefined, size: number, own: Times, waitMs: number) =>
      TypeOrmModule.forRootAsync({
        name,
        useFactory: (): TypeOrmModuleOptions => ({
          // Waits for the database: the service is not ready until then.
          retryAttempts: Number.MAX_SAFE_INTEGER,
          retryDelay: 1_000,
          toRetry: (error: unknown) => warn(url, error),
        }),
        dataSourceFactory: () =>
          new LimitedDataSource(
            {
              type: 'postgres',
              url,
              entities: entitiesOf(areas),
              applicationName: name ? `${applicationName} ${name}` : applicationName,
              poolSize: size,
              connectTimeoutMS: own === WORK_TIMES ? WORK_WAIT_MS : WAIT_MS,
              extra: poolOptions(own, isPooled, start, clients, own === WORK_TIMES ? isRunning : undefined),
            },
            waitMs,
          ).initialize(),
      });
    // A pooler does not say which backend serves a connection.
    const isRunning = (processId: number) => (isPooled ? probe.isUp() : probe.isRunning(processId));
    const probe = new PostgresProbe(
      url,
      `${applicationName} ready`,
      poolOptions(times, isPooled, start, clients),
      areas,
    );
    return {
      module: PostgresModule,
      global: true,
      imports: [
        connections(undefined, poolSize, times, requestMs),
        connections(TOKEN_DATA_SOURCE, TOKEN_POOL_SIZE, times, requestMs),
        connections(WORK_DATA_SOURCE, WORK_POOL_SIZE, WORK_TIMES, WORK_WAIT_MS),
      ],
      providers: [
        { provide: PostgresProbe, useValue: probe },
        { provide: Start, useValue: start },
        ServerCheck,
      ],
      exports: [TypeOrmModule, PostgresProbe],
    };
  }
}

/**
 * JIT is off: PostgreSQL would compile statements for overestimated costs, which takes longer than running them. Every statement
 * has an index; without `enable_seqscan=off` one that was prepared while its table was empty would read all rows, until
 * autovacuum comes. A transaction pooler forwards no session settings, so the role's apply; it keeps no plan, either.
 */
function poolOptions(
  { statementMs, lockMs, idleInTransactionMs, queryMs }: Times,
  isPooled: boolean,
  start: Start,
  clients: WatchedClients,
  isRunning?: (processId: number) => Promise<boolean>,
) {
  return {
    isPooled,
    Client: watchedClient(isRunning, clients),
    keepAlive: true,
    query_timeout: queryMs,
    onConnect: (client: ClientBase): unknown => prepare(client, { isPooled, refusesStandby: start.isOver }),
    ...(!isPooled && {
      statement_timeout: statementMs,
      lock_timeout: lockMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      options: '-c jit=off -c enable_seqscan=off -c DateStyle=ISO -c citus.propagate_set_commands=local',
    }),
  } satisfies PoolConfig & { isPooled: boolean };
}

/** Clients of one server, by whatever pool. */
type WatchedClients = Set<{ dropIfSilentSince: (time: number) => void }>;

/**
 * A client for pg's pool that closes itself after `query_timeout`: pg would return the connection, which still waits for the
 * answer, to the pool. What cut it silently has also cut those that have not answered since: they close, too.
 * @param isRunning asks over another connection whether the backend works on the query; if not, the answer is lost
 */
export function watchedClient(
  isRunning?: (processId: number) => Promise<boolean>,
  clients: WatchedClients = new Set(),
) {
  return class extends Client {
    private answeredAt = Infinity;
    private openQueries = 0;

    constructor(config?: ClientConfig) {
      // The pool's own limit also covers waiting for a free connection.
      super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
      this.once('connect', () => {
        this.answeredAt = performance.now();
        clients.add(this);
      });
      this.once('end', () => clients.delete(this));
    }

    /** pg's pool removes an idle client that has an error. */
    dropIfSilentSince(time: number): void {
      const isIdle = this.openQueries === 0 && this.listenerCount('error') > 0;
      if (isIdle && this.answeredAt < time) this.emit('error', new Error('the server is silent'));
    }

    override query(...args: unknown[]): never {
      const askedAt = performance.now();
      const answer = super.query(...(args as [string])) as Promise<unknown> | undefined;
      if (!answer) return answer as never;
      this.openQueries++;
      const ask = async () => {
        if (!(await isRunning!(this.processID)) && timer) void this.end();
      };
      let timer = isRunning && setInterval(() => void ask(), WATCH_MS);
      const end = (error?: unknown) => {
        clearInterval(timer);
        timer = undefined;
        this.openQueries--;
        if (!(error instanceof Error && error.message === 'Query read timeout')) {
          this.answeredAt = performance.now();
          return;
        }
        void this.end();
        for (const client of clients) client.dropIfSilentSince(askedAt);
      };
      answer.then(() => end(), end);
      return answer as never;
    }
  };
}

async function prepare(
  client: ClientBase,
  { isPooled, refusesStandby }: { readonly isPooled: boolean; readonly refusesStandby: boolean },
): Promise<void> {
  // Poolers forward this setting and keep it for the connection.
  if (isPooled) await client.query('SET DateStyle = ISO');
  if (refusesStandby) await refuseStandby(client);
}

function warn(url: string, error: unknown): true {
  const reason = failureReason(error);
  const hint = /unsupported startup parameter/.test(reason) ? ' (set DATABASE_POOLER=transaction)' : '';
  logger.warn(`PostgreSQL at ${storeAddress(url)} can't be used: ${reason}${hint}; trying again`);
  return true;
}

/** Also connects to a standby: the service then answers that it is not ready. */
class Start {
  isOver = false;
}

/** Refuses a server that is too old, and closes connections to a standby. */
@Injectable()
class ServerCheck implements OnModuleInit {
  constructor(
    private readonly start: Start,
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectDataSource(TOKEN_DATA_SOURCE) private readonly tokens: DataSource,
    @InjectDataSource(WORK_DATA_SOURCE) private readonly work: DataSource,
  ) {}

  async onModuleInit(): Promise<void> {
    const [{ version, name }] = await this.dataSource.query<[{ version: number; name: string }]>(
      `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name`,
    );
    if (version < MIN_VERSION) {
      throw new UnusableStoreError(`PostgreSQL ${name} is too old: 15 or newer is needed`);
    }
    this.start.isOver = true;
    // The connection from the start may be to a standby.
    for (const dataSource of [this.dataSource, this.tokens, this.work]) {
      const runner = dataSource.createQueryRunner();
      await ((await runner.connect()) as Client).end();
      await runner.release();
    }
  }
}
