import { lastByKey, newestByKey } from '@cxp/platform-records';
import { booleanColumn, nullable, numberColumn, type RowOf, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { type CopiedValue, copyRows } from '../database/copy-rows';
import { milliseconds } from '../database/sql';
import { blankOf, columnOf, type Columns, textBytesOf } from './record-columns';

interface RecordTableOptions<Data, Fields> {
  /** With its schema. */
  readonly name: string;
  /** Of the fields `id`, `conversationId` if the record belongs to a conversation, and the others. */
  readonly columns: Columns;
  readonly fieldsOf: (data: Data) => Fields;
  /** Only records whose field has such a value can change rows; undefined: all can. */
  readonly changesRows?: { readonly field: keyof Fields & string; readonly if: (value: unknown) => boolean };
  /** Whether no row tells of the record. */
  readonly isPassive?: (fields: Fields) => boolean;
  /** The fields that hold data of a person. */
  readonly personal?: readonly (keyof Fields & string)[];
  /** Of a type whose records have an `updatedAt`: one that is older than the stored record, or than a kept removal, is ignored. */
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
type Found = RowOf<ReturnType<typeof foundColumns>>;

/** What every record has. */
interface Key {
  readonly id: string | number;
  readonly conversationId?: string;
  readonly updatedAt?: string;
}

/**
 * A table of records with the key `(organization_id, id)`. Nearly all records are new, and copied: to look their keys up and to copy
 * them takes two thirds of the time of an upsert. The others are updated. Only the transaction that has the organization's intake
 * turn stores records, so a key that is not found stays free until it is copied.
 */
export class RecordTable<Data extends { readonly id: string | number }, Fields extends Key> {
  /** Whether its records belong to a conversation, and are none themselves. */
  readonly isPart: boolean;
  /** SQL: how much text a record has, beside its key. */
  readonly textBytes: string;
  /** SQL: whether a record holds data of a person. */
  readonly isPersonal: string;
  private readonly columns: readonly string[];
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(private readonly options: RecordTableOptions<Data, Fields>) {
    const { columns } = options;
    const { id: _, conversationId, ...others } = columns;
    this.isPart = conversationId !== undefined;
    this.textBytes = textBytesOf(others);
    this.isPersonal = (options.personal ?? [])
      .map((field) => `${columnOf(field)}::text <> ${blankOf(columns[field]!)}`)
      .join(' OR ');
    this.columns = Object.keys(columns).map(columnOf);
    this.statements = statementsOf(options, this.isPart);
  }

  get name(): string {
    return this.options.name;
  }

  /**
   * Stores records. Of several with one key the last counts, or the newest if they are versioned.
   * @param isAnonymized whether a record, by its id, is stored without personal data
   */
  async store(
    manager: EntityManager,
    organizationId: string,
    records: readonly Data[],
    isAnonymized: (id: string) => boolean,
  ): Promise<Stored> {
    const { name, columns, fieldsOf, changesRows, isPassive, versioned, personal = [] } = this.options;
    const fieldColumns = Object.entries(columns);
    const blank = Object.fromEntries(personal.map((field) => [field, undefined]));
    const all = records
      .map(fieldsOf)
      .map((fields) => (isAnonymized(String(fields.id)) ? { ...fields, ...blank } : fields));
    const each = versioned
      ? newestByKey(all, keyOf, ({ updatedAt }) => Date.parse(updatedAt!))
      : lastByKey(all, keyOf);
    const found = await this.find(manager, organizationId, each.map(keyOf));
    const [added, changed]: [CopiedValue[][], CopiedValue[][]] = [[], []];
    const touched: string[] = [];
    const growth: Growth[] = [];
    const changes = (value: unknown) => !changesRows || changesRows.if(value);
    for (const fields of each) {
      const previous = found.get(String(fields.id));
      if (isOutdated(fields, previous)) continue;
      const isStored = previous?.isStored ?? false;
      const values = fieldColumns.map(([field, { stored }]) => stored(fields[field as keyof Fields]));
      (isStored ? changed : added).push(values);
      const conversationId = this.isPart ? fields.conversationId! : String(fields.id);
      if (changes(changesRows && fields[changesRows.field])) touched.push(conversationId);
      if (isStored && changes(previous!.decisive)) touched.push(previous!.conversationId!);
      if (!this.isPart) continue;
      const isNew = !isStored || previous!.conversationId !== conversationId;
      growth.push({
        conversationId,
        id: String(fields.id),
        records: isNew ? 1 : 0,
        passive: isNew && isPassive?.(fields) ? 1 : 0,
        bytes: textBytes(values),
      });
    }
    await copyRows(manager, name, ['organization_id', ...this.columns], added, (values) => [
      organizationId,
      ...values,
    ]);
    if (changed.length > 0) {
      const rows = changed.map((values) =>
        Object.fromEntries(this.columns.map((column, place) => [column, values[place]])),
      );
      await this.statements.update.run(manager, [organizationId, JSON.stringify(rows)]);
    }
    return { touched, growth };
  }

  /** Deletes records. @returns the ids of their conversations */
  async delete(
    manager: EntityManager,
    organizationId: string,
    ids: readonly (string | number)[],
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const deleted = await this.statements.delete.run(manager, [organizationId, ids]);
    return deleted.map(({ conversationId }) => conversationId);
  }

  /** Takes the personal data out of records. @returns the ids of their conversations */
  async anonymize(
    manager: EntityManager,
    organizationId: string,
    ids: readonly (string | number)[],
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const changed = (await this.statements.anonymize?.run(manager, [organizationId, ids])) ?? [];
    return changed.map(({ conversationId }) => conversationId);
  }

  /** Deletes the records of conversations, of the conversation type themselves. @returns how many */
  async deleteOf(
    manager: EntityManager,
    organizationId: string,
    conversationIds: readonly string[],
  ): Promise<number> {
    return this.statements.deleteOf.count(manager, [organizationId, conversationIds]);
  }

  /** The ids of the records of conversations. */
  async idsOf(
    manager: EntityManager,
    organizationId: string,
    conversationIds: readonly string[],
  ): Promise<string[]> {
    const found = await this.statements.idsOf.run(manager, [organizationId, conversationIds]);
    return found.map(({ id }) => id);
  }

  private async find(
    manager: EntityManager,
    organizationId: string,
    ids: readonly (string | number)[],
  ): Promise<Map<string, Found>> {
    const found = await this.statements.find.run(manager, [organizationId, ids]);
    return new Map(found.map((row) => [row.id, row]));
  }
}

/** $1 organization, $2 ids or, of an update, records as a JSON array. */
function statementsOf<Data, Fields>(options: RecordTableOptions<Data, Fields>, isPart: boolean) {
  const { name, columns, versioned, personal = [] } = options;
  const { type } = columns.id!;
  const parent = isPart ? 'conversation_id' : 'id';
  const blank = (field: string) => `${columnOf(field)} = ${blankOf(columns[field]!)}`;
  const names = Object.keys(columns).map(columnOf);
  const casts = Object.entries(columns).map(
    ([field, column]) => `${columnOf(field)} = record.${columnOf(field)}::${column.type}`,
  );
  const conversation = { conversationId: textColumn(parent) };
  return {
    // OFFSET 0: a lookup of the primary key for each id, however many rows PostgreSQL expects.
    find: new Statement(
      foundColumns(options, isPart),
      (list) => `SELECT ${list} FROM unnest($2::${type}[]) AS wanted (id)
        LEFT JOIN LATERAL (
          SELECT * FROM ${name} WHERE organization_id = $1 AND id = wanted.id OFFSET 0
        ) AS stored ON TRUE
        ${versioned ? `LEFT JOIN ${removalOf(versioned, 'wanted.id')} ON TRUE` : ''}
        WHERE stored.id IS NOT NULL ${versioned ? 'OR removal.updated_at IS NOT NULL' : ''}`,
    ),
    update: new Statement(
      {},
      `UPDATE ${name} AS stored SET ${casts.join(', ')}
       FROM json_to_recordset($2) AS record (${names.map((column) => `${column} text`).join(', ')})
       WHERE stored.organization_id = $1 AND stored.id = record.id::${type}`,
    ),
    delete: new Statement(
      conversation,
      (list) => `DELETE FROM ${name} WHERE organization_id = $1 AND id = ANY ($2) RETURNING ${list}`,
    ),
    anonymize:
      personal.length > 0
        ? new Statement(
            conversation,
            (list) => `UPDATE ${name} SET ${personal.map(blank).join(', ')}
            WHERE organization_id = $1 AND id = ANY ($2) RETURNING ${list}`,
          )
        : undefined,
    deleteOf: new Statement({}, `DELETE FROM ${name} WHERE organization_id = $1 AND ${parent} = ANY ($2)`),
    idsOf: new Statement(
      { id: textColumn('id') },
      (list) => `SELECT ${list} FROM ${name} WHERE organization_id = $1 AND ${parent} = ANY ($2)`,
    ),
  };
}

function foundColumns<Data, Fields>(
  { changesRows, versioned }: RecordTableOptions<Data, Fields>,
  isPart: boolean,
) {
  return {
    id: textColumn('wanted.id'),
    isStored: booleanColumn('stored.id IS NOT NULL'),
    conversationId: nullable(textColumn(isPart ? 'stored.conversation_id' : 'wanted.id')),
    /** Of the field by which records change rows. */
    decisive: nullable(textColumn(changesRows ? `stored.${columnOf(changesRows.field)}` : 'NULL')),
    /** Milliseconds since 1970; of versioned records. */
    updatedAt: nullable(numberColumn(versioned ? milliseconds('stored.updated_at') : 'NULL')),
    removedAt: nullable(numberColumn(versioned ? milliseconds('removal.updated_at') : 'NULL')),
  };
}

function keyOf({ id }: Key): string | number {
  return id;
}

/** About what `ConversationRecordsReadModel.weights` counts: ids and times count here, too. */
function textBytes(values: readonly CopiedValue[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

function isOutdated({ updatedAt }: Key, found: Found | undefined): boolean {
  if (!found || updatedAt === undefined) return false;
  const time = Date.parse(updatedAt);
  return (found.updatedAt ?? -Infinity) > time || (found.removedAt ?? -Infinity) > time;
}

/** SQL: the removal that is kept of a key of the organization $1, for a join. */
function removalOf(type: 'conversation' | 'ticket', key: string): string {
  return `LATERAL (
    SELECT updated_at FROM contact_center.record_removal
    WHERE organization_id = $1 AND type = '${type}' AND key = ${key}::text
  ) AS removal`;
}
