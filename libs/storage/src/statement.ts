import { createHash } from 'node:crypto';
import type { PoolClient, QueryResult } from 'pg';
import type { EntityManager } from 'typeorm';
import { type Columns, type RowOf, selectList } from './columns';
import { withConnection } from './limited-data-source';
import { inTransaction } from './transaction';

/**
 * How PostgreSQL runs a statement.
 *
 * - `planned`: parsed and planned for each run, with its values. For a statement whose best plan depends on them.
 * - `prepared`: parsed once for each connection, and planned as rarely as PostgreSQL thinks fit. For a short statement that is run often,
 *   where planning costs more than running. Behind a transaction pooler it is prepared for each run. Not for one that compares rows with
 *   the values of an array (`= ANY ($n)`): from its sixth run on, each row would be compared with each value.
 * - `in index order`: planned for each run, without sorting: for rows that an index has in the order of the query. It runs in a transaction
 *   of its own.
 */
export type StatementMode = 'planned' | 'prepared' | 'in index order';

/** The organization in whose name a statement is run is its first value, `$1`. */
export type OrganizationValues = readonly [organizationId: string, ...values: unknown[]];

/**
 * A statement and the columns of its rows. Each column converts PostgreSQL's value to that of TypeScript, and the type of a row is
 * made up of the types that its columns state. Nothing checks them: neither that a value has this type, nor, of an outer join, that it is
 * not NULL.
 */
export class Statement<RowColumns extends Columns, Values extends readonly unknown[] = OrganizationValues> {
  /** SQL with `$1` for values. */
  readonly text: string;
  /** What it is prepared as; undefined if it is not prepared. */
  readonly name: string | undefined;

  /**
   * @param columns of its rows; `{}` for a statement that returns none
   * @param text SQL, of the list of its columns
   */
  constructor(
    columns: RowColumns,
    text: string | ((list: string) => string),
    private readonly mode: StatementMode = 'planned',
  ) {
    this.text = typeof text === 'string' ? text : text(selectList(columns));
    this.name = mode === 'prepared' ? createHash('sha256').update(this.text).digest('base64url') : undefined;
  }

  /**
   * Runs in the manager's transaction, or over a connection of its own, for which it waits until its organization has one free
   * (`LimitedDataSource`).
   * @returns its rows
   */
  async run(manager: EntityManager, values: Values): Promise<RowOf<RowColumns>[]> {
    if (this.mode !== 'in index order') return (await this.query(manager, values)).rows;
    const inOrder = (own: EntityManager) => this.query(own, values);
    const organizationId = this.organizationOf(values);
    return (await inTransaction(manager.dataSource, organizationId, [IN_INDEX_ORDER], inOrder)).rows;
  }

  async first(manager: EntityManager, values: Values): Promise<RowOf<RowColumns> | undefined> {
    return (await this.run(manager, values))[0];
  }

  /** Runs a statement that writes. @returns how many rows it has written */
  async count(manager: EntityManager, values: Values): Promise<number> {
    return (await this.query(manager, values)).rowCount ?? 0;
  }

  protected organizationOf(values: Values): string | undefined {
    return values[0] as string;
  }

  private async query(
    { queryRunner, dataSource }: EntityManager,
    values: Values,
  ): Promise<QueryResult<RowOf<RowColumns>>> {
    // Behind a pooler the next transaction meets another server connection.
    const { isPooled } = (dataSource.options.extra ?? {}) as { isPooled?: boolean };
    const query = { name: isPooled ? undefined : this.name, text: this.text, values: [...values] };
    if (queryRunner) return ((await queryRunner.connect()) as PoolClient).query(query);
    return withConnection(this.organizationOf(values), dataSource, (client) => client.query(query));
  }
}

/** A statement that is run in nobody's name, for all organizations or before one is known. */
export class UnscopedStatement<RowColumns extends Columns> extends Statement<RowColumns, readonly unknown[]> {
  protected override organizationOf(): undefined {
    return undefined;
  }
}

/**
 * For statements that name a schema or a table: they are made when they are first needed, once for each.
 * @param make is called for each key once; a process has few
 */
export function madeOnce<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/**
 * PostgreSQL expects few rows of any organization, and would read and sort all that follow to find the first ones. Up to version 17 it
 * adds ten billion to the cost of a sort that it can't avoid, and would compile the statement for that cost, which takes half a second.
 */
const IN_INDEX_ORDER =
  'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off';
