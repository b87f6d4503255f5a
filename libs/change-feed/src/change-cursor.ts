import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { byteaColumn, DependencyUnavailableError, textColumn, UnscopedStatement } from '@cxp/storage';
import { EntityManager } from 'typeorm';

export interface ChangeCursor {
  /** The issuing database: 12 hexadecimal digits. */
  readonly epoch: string;
  readonly position: number;
  /** The organization's last number when the reading began: the reading omits earlier removals. */
  readonly beginning: number;
}

/** Key and payload fill one hash block, so a plain hash authenticates a cursor. */
const KEY_BYTES = 32;
const PAYLOAD_BYTES = 18;
const MAC_BYTES = 8;

/** The cursors of one organization and feed: the code of a cursor covers both, so others are refused. */
export class ChangeCursors {
  private readonly authenticated = Buffer.alloc(KEY_BYTES + PAYLOAD_BYTES);
  private readonly written = Buffer.alloc(PAYLOAD_BYTES + MAC_BYTES);

  constructor(cursorKey: Buffer, feed: string, organizationId: string) {
    createHmac('sha256', cursorKey)
      .update(JSON.stringify([feed, organizationId]))
      .digest()
      .copy(this.authenticated);
  }

  /** Reuses its buffer, because a stream writes a cursor in each line. */
  write({ epoch, position, beginning }: ChangeCursor): string {
    const { authenticated } = this;
    authenticated.write(epoch, KEY_BYTES, 'hex');
    authenticated.writeUIntBE(position, KEY_BYTES + 6, 6);
    authenticated.writeUIntBE(beginning, KEY_BYTES + 12, 6);
    hash('sha256', authenticated, 'buffer').copy(this.written, PAYLOAD_BYTES, 0, MAC_BYTES);
    authenticated.copy(this.written, 0, KEY_BYTES);
    return this.written.toString('base64url');
  }

  /** @returns undefined if it was not issued for this organization and feed */
  read(cursor: string): ChangeCursor | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length !== PAYLOAD_BYTES + MAC_BYTES) return undefined;
    const read = {
      epoch: bytes.toString('hex', 0, 6),
      position: bytes.readUIntBE(6, 6),
      beginning: bytes.readUIntBE(12, 6),
    };
    const [given, issued] = [Buffer.from(cursor), Buffer.from(this.write(read))];
    return given.length === issued.length && timingSafeEqual(given, issued) ? read : undefined;
  }
}

export const FEED_SCHEMA = Symbol('schema of the feed');

export interface Epoch {
  /** 12 hexadecimal digits. */
  readonly epoch: string;
  readonly cursorKey: Buffer;
}

/** SQLSTATEs of a function that is forbidden, missing, or unsupported here. */
const REFUSED = new Set(['42501', '42883', '0A000']);

/** The timeline that is being written. A promoted server has a new one before its first checkpoint. Raises in recovery. */
const WRITTEN = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer`;

/** The timeline of the last checkpoint. A promoted server has the old one for minutes. */
const OF_CHECKPOINT = '(SELECT timeline_id FROM pg_control_checkpoint())';

/**
 * An epoch consists of what no backup restores: the server, the database, the timeline (new after each recovery and promotion)
 * and the file of the numbers' table (new after each restore). Cursors of another epoch are expired.
 */
@Injectable()
export class FeedEpoch implements OnApplicationBootstrap {
  private readonly logger = new Logger(FeedEpoch.name);
  private readonly byCheckpoint: ReturnType<typeof epochStatement>;
  private statement: ReturnType<typeof epochStatement>;

  constructor(
    private readonly manager: EntityManager,
    @Inject(FEED_SCHEMA) schema: string,
  ) {
    this.statement = epochStatement(schema, WRITTEN);
    this.byCheckpoint = epochStatement(schema, OF_CHECKPOINT);
  }

  /** Logs refused functions at start. If the server does not answer, the first reader asks again. */
  async onApplicationBootstrap(): Promise<void> {
    await this.read().catch(() => undefined);
  }

  /**
   * Not in a transaction, which a refused function would abort.
   * @throws DependencyUnavailableError if the server is in recovery
   */
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

/** A statement of its own: on a Citus cluster, its table is on the coordinator. */
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
