import type { ErasureMode } from '@cxp/erasure';
import { booleanColumn, nullable, numberColumn, type RowOf, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { type CopiedValue, copyRows } from '../database/copy-rows';
import { milliseconds } from '../database/sql';
import { blankOf, columnOf, type RecordColumns, textBytesOf } from './record-columns';

interface RecordTableOptions<Data, Fields> {
  /** With its schema. */
  readonly name: string;
  /** Of the fields `id`, `conversationId` if the record belongs to a conversation, and the others. */
  readonly columns: RecordColumns;
  readonly fieldsOf: (data: Data) => Fields;
  /** Of a part: the field of its latest time. */
  readonly lastAt?: keyof Fields & string;
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
  readonly bytes: number;
  /** The latest time that the record tells of. */
  readonly lastAt: string;
}

/** A conversation whose rows can have changed, and the record that changed them. */
export interface Touched {
  readonly conversationId: string;
  readonly id: string;
}

/** What stored records mean to their conversations. */
export interface Stored {
  readonly touched: readonly Touched[];
  readonly growth: readonly Growth[];
  /** The ids of the records that belong to what was erased, and that are not to come back as they were. */
  readonly erased: Readonly<Record<ErasureMode, readonly string[]>>;
}

/** A row that is stored under a key, or its removal. */
type Found = RowOf<ReturnType<typeof foundColumns>>;

/** The record of a key that remains. */
interface Latest<Fields> {
  readonly fields: Fields;
  /** Of it, or of one of the key before it. */
  readonly mode: ErasureMode | undefined;
  /** Of a versioned record. */
  readonly time: number | undefined;
}

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
   * Stores records, one after the other: of several with one key the last counts, or the newest if they are versioned.
   * @param modeOf how a record is erased: an anonymized one is stored without personal data; one that is deleted takes what is stored with
   *   it, and nothing of its key counts after it
   */
  async store(
    manager: EntityManager,
    organizationId: string,
    records: readonly Data[],
    modeOf: (data: Data) => ErasureMode | undefined,
  ): Promise<Stored> {
    const { name, columns, lastAt, personal = [] } = this.options;
    const fieldColumns = Object.entries(columns);
    const found = await this.find(manager, organizationId, [...new Set(records.map(({ id }) => id))]);
    const [added, changed]: [CopiedValue[][], CopiedValue[][]] = [[], []];
    const erased: Record<ErasureMode, string[]> = { delete: [], anonymize: [] };
    const touched: Touched[] = [];
    const growth: Growth[] = [];
    for (const [id, { fields, mode }] of this.latest(records, found, modeOf)) {
      const previous = found.get(id);
      if (mode === 'delete' || (mode && personal.length > 0)) erased[mode].push(id);
      if (mode === 'delete') continue;
      const isStored = previous?.isStored ?? false;
      const values = fieldColumns.map(([field, { stored }]) => stored(fields[field as keyof Fields]));
      (isStored ? changed : added).push(values);
      const conversationId = this.isPart ? fields.conversationId! : id;
      touched.push({ conversationId, id });
      if (isStored) touched.push({ conversationId: previous!.conversationId!, id });
      if (!this.isPart) continue;
      const isNew = !isStored || previous!.conversationId !== conversationId;
      growth.push({
        conversationId,
        id,
        records: isNew ? 1 : 0,
        bytes: textBytes(values),
        lastAt: fields[lastAt!] as string,
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
    touched.push(...(await this.delete(manager, organizationId, erased.delete)));
    return { touched, growth, erased };
  }

  async delete(
    manager: EntityManager,
    organizationId: string,
    ids: readonly (string | number)[],
  ): Promise<readonly Touched[]> {
    return ids.length > 0 ? this.statements.delete.run(manager, [organizationId, ids]) : [];
  }

  /** Takes the personal data out of records. */
  async anonymize(
    manager: EntityManager,
    organizationId: string,
    ids: readonly (string | number)[],
  ): Promise<readonly Touched[]> {
    return (ids.length > 0 && (await this.statements.anonymize?.run(manager, [organizationId, ids]))) || [];
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

  /** What remains of records that are stored one after the other, by id, each at the place of its key's first arrival. */
  private latest(
    records: readonly Data[],
    found: ReadonlyMap<string, Found>,
    modeOf: (data: Data) => ErasureMode | undefined,
  ): Map<string, Latest<Fields>> {
    const { fieldsOf, versioned, personal = [] } = this.options;
    const blank = Object.fromEntries(personal.map((field) => [field, undefined]));
    const latest = new Map<string, Latest<Fields>>();
    for (const data of records) {
      const fields = fieldsOf(data);
      const id = String(fields.id);
      const previous = latest.get(id);
      if (previous?.mode === 'delete') continue;
      const time = versioned && Date.parse(fields.updatedAt!);
      if (time !== undefined && time < (previous?.time ?? timeOf(found.get(id)))) continue;
      const mode = modeOf(data) ?? previous?.mode;
      latest.set(id, { fields: mode ? { ...fields, ...blank } : fields, mode, time });
    }
    return latest;
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
  // JSON comes as text, as it is copied. Other types are those of the list: Citus would cast a text as the coordinator's session does.
  const types = Object.entries(columns).map(
    ([field, column]) => `${columnOf(field)} ${column.type === 'json' ? 'text' : column.type}`,
  );
  const values = Object.entries(columns).map(
    ([field, column]) =>
      `${columnOf(field)} = record.${columnOf(field)}${column.type === 'json' ? '::json' : ''}`,
  );
  const touched = { conversationId: textColumn(parent), id: textColumn('id') };
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
      `UPDATE ${name} AS stored SET ${values.join(', ')}
       FROM json_to_recordset($2) AS record (${types.join(', ')})
       WHERE stored.organization_id = $1 AND stored.id = record.id`,
    ),
    delete: new Statement(
      touched,
      (list) => `DELETE FROM ${name} WHERE organization_id = $1 AND id = ANY ($2) RETURNING ${list}`,
    ),
    anonymize:
      personal.length > 0
        ? new Statement(
            touched,
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

function foundColumns<Data, Fields>({ versioned }: RecordTableOptions<Data, Fields>, isPart: boolean) {
  return {
    id: textColumn('wanted.id'),
    isStored: booleanColumn('stored.id IS NOT NULL'),
    conversationId: nullable(textColumn(isPart ? 'stored.conversation_id' : 'wanted.id')),
    /** Milliseconds since 1970; of versioned records. */
    updatedAt: nullable(numberColumn(versioned ? milliseconds('stored.updated_at') : 'NULL')),
    removedAt: nullable(numberColumn(versioned ? milliseconds('removal.updated_at') : 'NULL')),
  };
}

/** About what `ConversationRecordsReadModel.weights` counts: ids and times count here, too. */
function textBytes(values: readonly CopiedValue[]): number {
  let bytes = 0;
  for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  return bytes;
}

/** From when on records of a key count, in milliseconds since 1970. */
function timeOf({ updatedAt, removedAt }: Partial<Found> = {}): number {
  return Math.max(updatedAt ?? -Infinity, removedAt ?? -Infinity);
}

/** SQL: the removal that is kept of a key of the organization $1, for a join. */
function removalOf(type: 'conversation' | 'ticket', key: string): string {
  return `LATERAL (
    SELECT updated_at FROM contact_center.record_removal
    WHERE organization_id = $1 AND type = '${type}' AND key = ${key}::text
  ) AS removal`;
}
