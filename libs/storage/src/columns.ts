import type { ValueTransformer } from 'typeorm';

export interface Column<Value> {
  /** SQL of the type that pg parses as `Value`. */
  readonly sql: string;
  /** A phantom type. */
  readonly value?: Value;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type RowOf<RowColumns extends Columns> = {
  readonly [Name in keyof RowColumns]: RowColumns[Name] extends Column<infer Value> ? Value : never;
};

/** Any numeric type; exact up to 2⁵³. */
export function numberColumn<Value extends number = number>(sql: string): Column<Value> {
  return { sql: `(${sql})::float8` };
}

export function booleanColumn(sql: string): Column<boolean> {
  return { sql };
}

/** Any type as text; also a `bigint` or `numeric` whose digits matter. */
export function textColumn<Value extends string = string>(sql: string): Column<Value> {
  return { sql: `(${sql})::text` };
}

/** SQL of type `json` or `jsonb`. @typeParam Value is not checked */
export function jsonColumn<Value>(sql: string): Column<Value> {
  return { sql: `(${sql})::json` };
}

export function timeColumn(sql: string): Column<Date> {
  return { sql };
}

export function byteaColumn(sql: string): Column<Buffer> {
  return { sql };
}

export function textsColumn(sql: string): Column<string[]> {
  return { sql: `(${sql})::text[]` };
}

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return column;
}

export function selectList(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, { sql }]) => `${sql} AS "${name}"`)
    .join(', ');
}

/** For `bigint` columns whose values are exact as numbers. */
export const bigintAsNumber: ValueTransformer = {
  from: (text: string | null) => (text === null ? null : Number(text)),
  to: (value: unknown) => value,
};
