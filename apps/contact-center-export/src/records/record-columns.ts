import type { CopiedValue } from '../database/copy-rows';
import { milliseconds } from '../database/sql';

/** A kind of column: its type, what is stored of a field of a record, and the type of its values when it is read. */
export interface Column<Value = unknown> {
  readonly type: 'text' | 'bigint' | 'smallint' | 'boolean' | 'timestamptz' | 'json';
  readonly stored: (field: unknown) => CopiedValue;
  /** SQL that is read in place of the column. */
  readonly sql?: string;
  /** Only a type: there is no such property. */
  readonly value?: Value;
}

export type Columns = Readonly<Record<string, Column>>;

/** What is read of columns. */
export type ReadRecord<Fields extends Columns> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Column<infer Value> ? Value : never;
};

const asItIs = (field: unknown) => (field ?? null) as CopiedValue;

export const text: Column<string> = { type: 'text', stored: (field) => (field ?? '') as string };
export const textOrNull: Column<string | null> = { type: 'text', stored: asItIs };
export const integer: Column<number> = { type: 'bigint', stored: asItIs };
export const integerOrNull: Column<number | null> = integer;
export const smallOrNull: Column<number | null> = { type: 'smallint', stored: asItIs };
export const booleanOrNull: Column<boolean | null> = { type: 'boolean', stored: asItIs };
/** Times are read in milliseconds since 1970. */
export const time: Column<number> = { type: 'timestamptz', stored: (field) => instant(field as string) };
export const timeOrNull: Column<number | null> = {
  type: 'timestamptz',
  stored: (field) => (field === null || field === undefined ? null : instant(field as string)),
};
export const textByName: Column<Readonly<Record<string, string>>> = {
  type: 'json',
  stored: (field) => JSON.stringify(field ?? {}),
};

/** What is only read. */
export function expression<Value>(sql: string): Column<Value> {
  return { type: 'json', stored: asItIs, sql };
}

/** SQL: the column of a field, `conversation_id` of `conversationId`. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** SQL: what is stored of a field that is left out, of a column that holds text. */
export function blankOf({ type }: Column): string {
  return type === 'json' ? "'{}'" : "''";
}

/** SQL: columns as a JSON object. */
export function jsonOf(columns: Columns): string {
  const members = Object.entries(columns).map(([field, { type, sql }]) => {
    const column = sql ?? columnOf(field);
    return `'${field}', ${type === 'timestamptz' ? milliseconds(column) : column}`;
  });
  return `json_build_object(${members.join(', ')})`;
}

/** SQL: how large the texts of columns are. */
export function textBytesOf(columns: Columns): string {
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
