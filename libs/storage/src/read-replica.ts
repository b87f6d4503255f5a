import { Logger } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { DependencyUnavailableError, isDependencyUnavailable } from './failures';
import { StatementScope } from './statement-scope';
import { failureReason, storeAddress } from './store-address';

export interface ReadReplicaOptions {
  readonly url: string;
  /** Of the pool that reads use. */
  readonly connections: DataSourceOptions;
  /** How old what is read may be, in milliseconds. */
  readonly maxLagMs: number;
}

/** How often the replica is asked how far it is, in milliseconds. */
const CHECK_MS = 500;

/** How long a replica that is there takes at most to say how far it is, in milliseconds. */
const ANSWER_MS = 500;

/** A position in the primary's log, and when it was asked for: by then everything before it was committed. */
interface LogPosition {
  readonly askedAt: number;
  readonly bytes: number;
}

/**
 * A physical replica of the primary. It is asked twice a second how much of the primary's log it has replayed, and is used only
 * while that is all that the primary had a short time ago.
 */
export class ReadReplica {
  private readonly logger = new Logger(ReadReplica.name);
  /** One connection, which no read waits for. */
  private readonly probe: Pool;
  private dataSource: DataSource | undefined;
  /** Of the primary, oldest first; the first one is the newest that the replica has replayed. */
  private positions: LogPosition[] = [];
  private lagMs = Infinity;
  /** Why it is not used. */
  private problem: string | undefined = 'it has not been asked yet';
  private readonly reads = new Set<(error: Error) => void>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param primaryPosition the byte that the primary's log ends with */
  constructor(
    private readonly options: ReadReplicaOptions,
    private readonly primaryPosition: () => Promise<number>,
  ) {
    this.probe = new Pool({
      connectionString: options.url,
      application_name: 'replica check',
      max: 1,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    } satisfies PoolConfig);
    this.probe.on('error', () => undefined);
  }

  get isUsable(): boolean {
    return this.problem === undefined;
  }

  /** How old what is read may be by now, in seconds; infinite if that is not known. */
  get lagSeconds(): number {
    return this.lagMs / 1_000;
  }

  /** Resolves after the first check; the checks go on in the background. */
  async watch(): Promise<void> {
    await StatementScope.leave(() => this.check());
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.watch(), CHECK_MS);
  }

  /** @throws when the read fails, and as soon as the replica is found to be away */
  async run<Result>(read: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    const { dataSource } = this;
    if (!dataSource) throw new DependencyUnavailableError('the replica is not connected');
    let giveUp: ((error: Error) => void) | undefined;
    const away = new Promise<never>((_, reject) => this.reads.add((giveUp = reject)));
    try {
      return await Promise.race([read(dataSource.manager), away]);
    } catch (error) {
      // A replica that is only busy is asked again by the next read.
      const isAway = isDependencyUnavailable(error) && !(error instanceof DependencyUnavailableError);
      if (isAway && !StatementScope.current()?.isOver) this.leaveOut(error);
      throw error;
    } finally {
      this.reads.delete(giveUp!);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.problem = 'it is closed';
    await Promise.all([this.probe.end(), this.dataSource?.destroy()]);
  }

  private async check(): Promise<void> {
    const [, replayed] = await Promise.allSettled([this.notePrimaryPosition(), this.askReplayed()]);
    if (this.isClosed) return;
    if (replayed.status === 'rejected') {
      this.leaveOut(replayed.reason);
      return;
    }
    const bytes = replayed.value;
    const reached = this.positions.findLastIndex((position) => position.bytes <= bytes);
    this.positions = this.positions.slice(Math.max(reached, 0));
    this.lagMs = reached < 0 ? Infinity : performance.now() - this.positions[0]!.askedAt;
    if (this.lagMs > this.options.maxLagMs) {
      this.problem = this.warn(`it is more than ${this.options.maxLagMs / 1_000} seconds behind`);
      return;
    }
    try {
      this.dataSource ??= await new DataSource(this.options.connections).initialize();
    } catch (error) {
      this.leaveOut(error);
      return;
    }
    if (this.problem) this.logger.log(`${this.name} is used`);
    this.problem = undefined;
  }

  private async notePrimaryPosition(): Promise<void> {
    const askedAt = performance.now();
    const bytes = await this.primaryPosition();
    this.positions.push({ askedAt, bytes });
    // What is older than may be read is not needed to find that out.
    const [, next] = this.positions;
    if (next && performance.now() - next.askedAt > this.options.maxLagMs) this.positions.shift();
  }

  /** @throws when the server is away, or is no replica */
  private async askReplayed(): Promise<number> {
    const { rows } = await this.probe.query<{ bytes: number | null }>(
      `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::float8 END AS bytes`,
    );
    const { bytes } = rows[0]!;
    if (bytes === null) throw new Error('it is not a replica');
    return bytes;
  }

  /** Nothing is read from it until a check finds it well; what is being read is read elsewhere. */
  private leaveOut(error: unknown): void {
    this.lagMs = Infinity;
    this.problem = this.warn(failureReason(error));
    for (const giveUp of [...this.reads]) giveUp(new DependencyUnavailableError('the replica is away'));
  }

  private warn(problem: string): string {
    if (problem !== this.problem) this.logger.warn(`${this.name} is not used: ${problem}`);
    return problem;
  }

  private get name(): string {
    return `the replica at ${storeAddress(this.options.url)}`;
  }
}
