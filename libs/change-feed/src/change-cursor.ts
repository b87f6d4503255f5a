import { createHmac, hash, timingSafeEqual } from 'node:crypto';

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
