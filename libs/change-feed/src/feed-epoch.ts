import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { byteaColumn, DependencyUnavailableError, textColumn, UnscopedStatement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/** What the cursors of a feed are made with. */
export interface Epoch {
  /** 12 hexadecimal digits. */
  readonly epoch: string;
  readonly cursorKey: Buffer;
}

/** PostgreSQL's codes for a function that may not be called, that there is not, or that does nothing here. */
const REFUSED = new Set(['42501', '42883', '0A000']);

/** SQL: the timeline that is being written. A promoted server has another one before its first checkpoint. It raises in recovery. */
const WRITTEN = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer`;

/** SQL: the timeline of the last checkpoint. A promoted server has the old one for minutes. */
const OF_CHECKPOINT = '(SELECT timeline_id FROM pg_control_checkpoint())';

/**
 * The epoch of a feed is made of what no backup brings back: the server, the database, the timeline (another one after each recovery
 * and promotion) and the file of the numbers (another one after each restore of their table). Cursors of another epoch are expired.
 */
export class FeedEpoch implements OnApplicationBootstrap {
  private readonly logger = new Logger(FeedEpoch.name);
  private readonly byCheckpoint: ReturnType<typeof epochStatement>;
  private statement: ReturnType<typeof epochStatement>;

  constructor(
    private readonly manager: EntityManager,
    schema: string,
  ) {
    this.statement = epochStatement(schema, WRITTEN);
    this.byCheckpoint = epochStatement(schema, OF_CHECKPOINT);
  }

  /** What is refused is logged at the start. A server that does not answer now is asked again by the first reader. */
  async onApplicationBootstrap(): Promise<void> {
    await this.read().catch(() => undefined);
  }

  /** In no transaction: a function that is refused would end it. @throws DependencyUnavailableError if the server is in recovery */
  async read(manager = this.manager): Promise<Epoch> {
    const found = await this.statement.first(manager, []).catch(async (error: Error & { code?: string }) => {
      if (!REFUSED.has(error.code ?? '')) throw error;
      const byCheckpoint = await this.byCheckpoint.first(manager, []);
      if (this.statement !== this.byCheckpoint) this.warn(error.message);
      this.statement = this.byCheckpoint;
      return byCheckpoint;
    });
    if (!found) throw new DependencyUnavailableError('PostgreSQL is in recovery: it is a standby');
    return found;
  }

  private warn(reason: string): void {
    this.logger.warn(
      `PostgreSQL refuses the timeline that it writes (${reason}): after a promotion, cursors of before stay valid until its first ` +
        'checkpoint. GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn), pg_current_wal_insert_lsn() to the role of the service',
    );
  }
}

/** By itself, not joined to others: on a cluster of Citus, its table is on the coordinator. */
function epochStatement(schema: string, timeline: string) {
  const parts = `':', epoch, system_identifier, pg_database.oid, ${timeline}, pg_relation_filenode('${schema}.change_feed')`;
  return new UnscopedStatement(
    {
      epoch: textColumn(`encode(substring(sha256(convert_to(concat_ws(${parts}), 'UTF8')) FOR 6), 'hex')`),
      cursorKey: byteaColumn('cursor_key'),
    },
    (list) => `SELECT ${list} FROM ${schema}.change_epoch, pg_control_system(), pg_database
      WHERE datname = current_database() AND NOT pg_is_in_recovery()`,
    'prepared',
  );
}
