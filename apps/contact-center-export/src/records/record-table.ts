import type { EntityManager } from 'typeorm';
import { type CopiedValue, copyRows } from '../database/copy-rows';
import { milliseconds } from '../database/sql';
import { removalOf } from './record-removal.repository';

/** A row by column, without its organization; times in ISO 8601, JSON as text. */
export type RecordRow = Readonly<Record<string, CopiedValue>> & { readonly id: string | number };

interface RecordTableOptions<Row, Kept> {
  /** With its schema. */
  readonly name: string;
  /** The columns that a record fills, with their types. */
  readonly columns: Readonly<Record<keyof Row & string, string>>;
  /** The columns of a replaced row that are returned. */
  readonly returned: readonly Kept[];
  /** Of a type whose records have an `updated_at`: one that is older than the stored record, or than a kept removal, is ignored. */
  readonly versioned?: 'conversation' | 'ticket';
}

/** What a record adds to those of its conversation. */
export interface Growth {
  readonly conversationId: string;
  /** Of the record. */
  readonly id: string;
  /** 0 if the conversation had the record. */
  readonly records: 0 | 1;
  /** Of `records`, as in `ConversationWeight`. */
  readonly passive: 0 | 1;
  readonly bytes: number;
}

/** What stored records mean to their conversations. */
export interface Stored {
  /** The ids of the conversations whose rows can have changed. */
  readonly touched: readonly string[];
  readonly growth: readonly Growth[];
}

/** A row that is stored under a key, or its removal. */
type Found<Row, Kept extends keyof Row> = Pick<Row, Kept> & {
  readonly id: string;
  readonly isStored: boolean;
  /** Milliseconds since 1970; of versioned records. */
  readonly updatedAt?: number | null;
  readonly removedAt?: number | null;
};

/**
 * A table of records with the key `(organization_id, id)`. Nearly all records are new, and copied: to look their keys up and to copy
 * them takes two thirds of the time of an upsert. The others are updated. Only the transaction that has the organization's intake
 * turn stores records, so a key that is not found stays free until it is copied.
 */
export class RecordTable<Row extends RecordRow, Kept extends keyof Row & string = never> {
  private readonly columns: readonly string[];
  private readonly findStatement: string;
  private readonly updateStatement: string;

  constructor(private readonly options: RecordTableOptions<Row, Kept>) {
    const { name, columns, returned, versioned } = options;
    this.columns = Object.keys(columns);
    const casts = Object.entries<string>(columns).map(
      ([column, type]) => `${column} = record.${column}::${type}`,
    );
    const times = `${milliseconds('stored.updated_at')} AS "updatedAt", ${milliseconds('removal.updated_at')} AS "removedAt"`;
    // OFFSET 0: a lookup of the primary key for each id, however many rows PostgreSQL expects.
    this.findStatement = `
      SELECT ${['wanted.id::text AS id', 'stored.id IS NOT NULL AS "isStored"', ...returned.map((column) => `stored.${column}`)].join(', ')}
        ${versioned ? `, ${times}` : ''}
      FROM unnest($2::${columns.id}[]) AS wanted (id)
      LEFT JOIN LATERAL (
        SELECT * FROM ${name} WHERE organization_id = $1 AND id = wanted.id OFFSET 0
      ) AS stored ON TRUE
      ${versioned ? `LEFT JOIN ${removalOf(versioned, 'wanted.id')} ON TRUE` : ''}
      WHERE stored.id IS NOT NULL ${versioned ? 'OR removal.updated_at IS NOT NULL' : ''}`;
    this.updateStatement = `
      UPDATE ${name} AS stored SET ${casts.join(', ')}
      FROM json_to_recordset($2) AS record (${this.columns.map((column) => `${column} text`).join(', ')})
      WHERE stored.organization_id = $1 AND stored.id = record.id::${columns.id}`;
  }

  /**
   * Stores rows with different keys.
   * @returns those that were not ignored, what they replaced, and the growth of the conversations
   */
  async store(
    manager: EntityManager,
    organizationId: string,
    rows: readonly Row[],
  ): Promise<{ written: readonly Row[]; replaced: readonly Pick<Row, Kept>[]; growth: Growth[] }> {
    const found = await this.find(manager, organizationId, rows);
    const written = rows.filter((row) => !isOutdated(row, found.get(String(row.id))));
    const replaced: Found<Row, Kept>[] = [];
    const [added, changed]: [Row[], Row[]] = [[], []];
    const growth: Growth[] = [];
    for (const row of written) {
      const previous = found.get(String(row.id));
      if (previous?.isStored) {
        replaced.push(previous);
        changed.push(row);
      } else {
        added.push(row);
      }
      const parent = row.conversation_id;
      if (typeof parent !== 'string') continue;
      const isNew = !previous?.isStored || (previous as Partial<RecordRow>).conversation_id !== parent;
      growth.push({
        conversationId: parent,
        id: String(row.id),
        records: isNew ? 1 : 0,
        passive: isNew && isPassive(row) ? 1 : 0,
        bytes: textBytes(row),
      });
    }
    await this.copy(manager, organizationId, added);
    if (changed.length > 0)
      await manager.query(this.updateStatement, [organizationId, JSON.stringify(changed)]);
    return { written, replaced, growth };
  }

  private async find(
    manager: EntityManager,
    organizationId: string,
    rows: readonly Row[],
  ): Promise<Map<string, Found<Row, Kept>>> {
    const found = await manager.query<Found<Row, Kept>[]>(this.findStatement, [
      organizationId,
      rows.map(({ id }) => id),
    ]);
    return new Map(found.map((row) => [row.id, row]));
  }

  private async copy(manager: EntityManager, organizationId: string, rows: readonly Row[]): Promise<void> {
    await copyRows(manager, this.options.name, ['organization_id', ...this.columns], rows, (row) => [
      organizationId,
      ...this.columns.map((column) => row[column]!),
    ]);
  }
}

/** About what `ConversationRecordsReadModel.weights` counts: ids and times count here, too. */
function textBytes(row: RecordRow): number {
  let bytes = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

function isPassive({ sender_type: sender }: Readonly<Record<string, unknown>>): boolean {
  return sender !== undefined && sender !== 'agent';
}

function isOutdated(
  row: RecordRow,
  found: { updatedAt?: number | null; removedAt?: number | null } | undefined,
) {
  if (!found) return false;
  const updatedAt = Date.parse(String(row.updated_at));
  return (found.updatedAt ?? -Infinity) > updatedAt || (found.removedAt ?? -Infinity) > updatedAt;
}
