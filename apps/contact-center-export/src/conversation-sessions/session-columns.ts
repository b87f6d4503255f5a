import type { ParquetColumn, ParquetType } from '@cxp/spreadsheet';
import { ROW_FIELDS } from '../derivation';

/** A row as JSON, with the one value beside it that its digest covers. */
export type SessionFields = Readonly<Record<string, unknown>>;

interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
}

/** The columns of a Parquet file of rows: their fields, and all that a row's digest is computed from. */
export const SESSION_COLUMNS: readonly ParquetColumn<SessionFields>[] = [
  ...Object.entries(ROW_FIELDS).map(([name, { schema }]) => columnOf(name, schema)),
  columnOf('conversationUpdatedAt', { type: 'string', format: 'date-time' }),
];

function columnOf(
  name: string,
  { type, format, nullable = false }: FieldSchema,
): ParquetColumn<SessionFields> {
  const isTime = format === 'date-time';
  const types: Readonly<Record<string, ParquetType>> = { integer: 'int64', object: 'json' };
  return {
    name,
    type: isTime ? 'time' : (types[type ?? ''] ?? 'text'),
    isNullable: nullable,
    valueOf: (row) => (isTime && row[name] ? new Date(row[name] as string) : row[name]),
  };
}
