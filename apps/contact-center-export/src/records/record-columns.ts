import type { CopiedValue } from '../database/copy-rows';
import { milliseconds } from '../database/sql';

/** A kind of column: its type, what is stored of a field of a record, and the type of its values when it is read. */
export interface RecordColumn<Value = unknown> {
  readonly type: 'text' | 'bigint' | 'smallint' | 'boolean' | 'timestamptz' | 'json';
  readonly stored: (field: unknown) => CopiedValue;
  /** SQL that is read in place of the column. */
  readonly sql?: string;
  /** Only a type: there is no such property. */
  readonly value?: Value;
}

export type RecordColumns = Readonly<Record<string, RecordColumn>>;

/** What is read of columns. */
export type ReadRecord<Fields extends RecordColumns> = {
  readonly [Name in keyof Fields]: Fields[Name] extends RecordColumn<infer Value> ? Value : never;
};

const asItIs = (field: unknown) => (field ?? null) as CopiedValue;

export const text: RecordColumn<string> = { type: 'text', stored: (field) => (field ?? '') as string };
export const textOrNull: RecordColumn<string | null> = { type: 'text', stored: asItIs };
export const integer: RecordColumn<number> = { type: 'bigint', stored: asItIs };
export const integerOrNull: RecordColumn<number | null> = integer;
export const smallOrNull: RecordColumn<number | null> = { type: 'smallint', stored: asItIs };
export const booleanOrNull: RecordColumn<boolean | null> = { type: 'boolean', stored: asItIs };
/** Times are read in milliseconds since 1970. */
export const time: RecordColumn<number> = {
  type: 'timestamptz',
  stored: (field) => instant(field as string),
};
export const timeOrNull: RecordColumn<number | null> = {
  type: 'timestamptz',
  stored: (field) => (field === null || field === undefined ? null : instant(field as string)),
};
export const textByName: RecordColumn<Readonly<Record<string, string>>> = {
  type: 'json',
  stored: (field) => JSON.stringify(field ?? {}),
};

/** What is only read. */
export function expression<Value>(sql: string): RecordColumn<Value> {
  return { type: 'json', stored: asItIs, sql };
}

/** SQL: the column of a field, `conversation_id` of `conversationId`. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** SQL: what is stored of a field that is left out, of a column that holds text. */
export function blankOf({ type }: RecordColumn): string {
  return type === 'json' ? "'{}'" : "''";
}

/** SQL: columns as a JSON object. */
export function jsonOf(columns: RecordColumns): string {
  const members = Object.entries(columns).map(([field, { type, sql }]) => {
    const column = sql ?? columnOf(field);
    return `'${field}', ${type === 'timestamptz' ? milliseconds(column) : column}`;
  });
  return `json_build_object(${members.join(', ')})`;
}

/** SQL: how large the texts of columns are. */
export function textBytesOf(columns: RecordColumns): string {
  const sizes = Object.entries(columns)
    .filter(([, { type }]) => type === 'text' || type === 'json')
    .map(([field]) => `coalesce(octet_length(${columnOf(field)}::text), 0)`);
  return sizes.join(' + ') || '0';
}

/** The length of an instant as it is stored: `2026-01-05T02:11:09.000Z`. */
const STORED_LENGTH = 24;

/** @param text ISO 8601 with an offset @returns it in UTC with milliseconds, as it is stored; anything finer is cut off */
function instant(text: string): string {
  const isStoredForm = text.length === STORED_LENGTH && text.endsWith('Z');
  return isStoredForm ? text : new Date(text).toISOString();
}
