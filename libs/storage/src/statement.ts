import { createHash } from 'node:crypto';
import type { PoolClient, QueryResult } from 'pg';
import type { EntityManager, ValueTransformer } from 'typeorm';
import { inTransaction, withClient } from './limited-data-source';

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

/**
 * - `planned`: parsed and planned for each run, for a statement whose best plan depends on its values.
 * - `prepared`: parsed once per connection and seldom planned, for a short, frequent statement; a transaction pooler prepares each run.
 *   Not for `= ANY ($n)`: from the sixth run on, each row would be compared with each value.
 * - `in index order`: planned for each run without sorting, in its own transaction, for rows in an index's order.
 */
export type StatementMode = 'planned' | 'prepared' | 'in index order';

/** PostgreSQL's types of parameters, and the values that pg sends as them. */
interface Scalars {
  text: string;
  uuid: string;
  /** The text of the JSON, or its bytes: pg would send an array as one of PostgreSQL. */
  json: string | Buffer;
  jsonb: string;
  boolean: boolean;
  smallint: number | string;
  integer: number;
  bigint: number | string;
  float8: number;
  timestamptz: Date | string;
  bytea: Buffer;
}

type Scalar = keyof Scalars;
export type ParameterType = Scalar | `${Scalar}[]` | `${Scalar} | null`;

/** The types of a statement's parameters, by name. */
export type Parameters = Readonly<Record<string, ParameterType>>;

/** A statement in the name of an organization. */
export type OrganizationParameters = Parameters & { readonly organizationId: 'text' };

type ValueOf<Type> = Type extends Scalar
  ? Scalars[Type]
  : Type extends `${infer Item extends Scalar}[]`
    ? readonly Scalars[Item][]
    : Type extends `${infer Known extends Scalar} | null`
      ? Scalars[Known] | null | undefined
      : never;

export type ValuesOf<Own extends Parameters> = { readonly [Name in keyof Own]: ValueOf<Own[Name]> };

/**
 * Runs in nobody's name: for all organizations, or before one is known.
 *
 * Columns convert PostgreSQL's values; nothing checks that a value has the stated type, or that one of an outer join is not
 * NULL.
 */
export class UnscopedStatement<Own extends Parameters, RowColumns extends Columns> {
  /** SQL with `$1` for values. */
  readonly text: string;
  readonly name: string | undefined;
  private readonly names: readonly string[];

  /**
   * @param parameters `{}` for a statement without any; SQL names each of them: `$limit`
   * @param columns `{}` for a statement without rows
   * @param text SQL for the list of columns
   */
  constructor(
    parameters: Own,
    columns: RowColumns,
    text: string | ((list: string) => string),
    private readonly mode: StatementMode = 'planned',
  ) {
    this.names = Object.keys(parameters);
    this.text = withNumbers(typeof text === 'string' ? text : text(selectList(columns)), parameters);
    this.name = mode === 'prepared' ? createHash('sha256').update(this.text).digest('base64url') : undefined;
  }

  /** Uses the manager's transaction, or a connection within the organization's share (`LimitedDataSource`). */
  async run(manager: EntityManager, values: ValuesOf<Own>): Promise<RowOf<RowColumns>[]> {
    if (this.mode !== 'in index order') return (await this.query(manager, values)).rows;
    const inOrder = (own: EntityManager) => this.query(own, values);
    const organizationId = this.organizationOf(values);
    return (await inTransaction(manager.dataSource, organizationId, [IN_INDEX_ORDER], inOrder)).rows;
  }

  async first(manager: EntityManager, values: ValuesOf<Own>): Promise<RowOf<RowColumns> | undefined> {
    return (await this.run(manager, values))[0];
  }

  /** @returns the number of written rows */
  async count(manager: EntityManager, values: ValuesOf<Own>): Promise<number> {
    return (await this.query(manager, values)).rowCount ?? 0;
  }

  protected organizationOf(_values: ValuesOf<Own>): string | undefined {
    return undefined;
  }

  private async query(
    { queryRunner, dataSource }: EntityManager,
    values: ValuesOf<Own>,
  ): Promise<QueryResult<RowOf<RowColumns>>> {
    // Behind a pooler the next transaction uses another server connection.
    const { isPooled } = (dataSource.options.extra ?? {}) as { isPooled?: boolean };
    const inOrder = this.names.map((name) => values[name]);
    const query = { name: isPooled ? undefined : this.name, text: this.text, values: inOrder };
    if (queryRunner) return ((await queryRunner.connect()) as PoolClient).query(query);
    return withClient(this.organizationOf(values), dataSource, (client) => client.query(query));
  }
}

/** Runs in the name of the organization `$organizationId`. */
export class Statement<
  Own extends OrganizationParameters,
  RowColumns extends Columns,
> extends UnscopedStatement<Own, RowColumns> {
  protected override organizationOf(values: ValuesOf<Own>): string {
    return values.organizationId;
  }
}

/** @throws Error if the SQL names a parameter that is not declared, or does not name one that is */
function withNumbers(sql: string, parameters: Parameters): string {
  const names = Object.keys(parameters);
  const unused = new Set(names);
  const text = sql.replace(/\$([a-zA-Z]\w*)/g, (_, name: string) => {
    const place = names.indexOf(name);
    if (place < 0) throw new Error(`the statement does not declare its parameter $${name}: ${sql}`);
    unused.delete(name);
    return `$${place + 1}::${parameters[name]!.replace(' | null', '')}`;
  });
  if (unused.size > 0) throw new Error(`the statement does not use $${[...unused].join(', $')}: ${sql}`);
  return text;
}

/**
 * Caches what is made of a key: statements of a schema or table, limits of a route.
 * @param make runs once for each key; a process has few
 */
export function memoize<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/**
 * Without statistics per organization PostgreSQL would read and sort all following rows to find the first. Up to version 17 it
 * adds ten billion to an unavoidable sort's cost, for which JIT would compile for half a second.
 */
export const IN_INDEX_ORDER =
  'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off';
