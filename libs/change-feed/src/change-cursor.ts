import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
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

/**
 * An epoch consists of what no backup restores: the server, the database, the timeline (new after each recovery and promotion)
 * and the file of the numbers' table (new after each restore). Cursors of another epoch are expired.
 */
@Injectable()
export class FeedEpoch {
  private readonly statement: ReturnType<typeof epochStatement>;

  constructor(
    private readonly manager: EntityManager,
    @Inject(FEED_SCHEMA) schema: string,
  ) {
    this.statement = epochStatement(schema);
  }

  /** @throws DependencyUnavailableError if the server is in recovery */
  async read(manager = this.manager): Promise<Epoch> {
    const found = await this.statement.first(manager, []);
    if (!found) throw new DependencyUnavailableError('PostgreSQL is in recovery: it is a standby');
    return found;
  }
}

/**
 * The timeline that is being written: a promoted server keeps that of the last checkpoint for minutes. It raises in recovery.
 */
const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer`;

/** A statement of its own: on a Citus cluster, its table is on the coordinator. */
function epochStatement(schema: string) {
  const parts = `':', epoch, system_identifier, pg_database.oid, ${TIMELINE}, pg_relation_filenode('${schema}.change_feed')`;
  return new UnscopedStatement(
    {},
    {
      epoch: textColumn(`encode(substring(sha256(convert_to(concat_ws(${parts}), 'UTF8')) FOR 6), 'hex')`),
      cursorKey: byteaColumn('cursor_key'),
    },
    (list) => `SELECT ${list} FROM ${schema}.change_epoch, pg_control_system(), pg_database
      WHERE datname = current_database() AND NOT pg_is_in_recovery()`,
    'prepared',
  );
}
