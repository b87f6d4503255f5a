import { DataSource, type MigrationInterface } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';

type EntityTarget = new () => object;

/** A schema and the migrations that build it, oldest first. */
export interface DatabaseSchema {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** Tables whose rows are read or saved one at a time. */
  readonly entities?: readonly EntityTarget[];
  /** Services only read the area; the command line writes it. */
  readonly isReadOnly?: boolean;
}

export function entitiesOf(areas: readonly DatabaseSchema[]): EntityTarget[] {
  return areas.flatMap(({ entities = [] }) => entities);
}

/** For a tool or a test: one user without limits. */
export function openDatabase(
  url: string,
  areas: readonly DatabaseSchema[],
  options: Partial<PostgresDataSourceOptions> = {},
): Promise<DataSource> {
  return new DataSource({ ...options, type: 'postgres', url, entities: entitiesOf(areas) }).initialize();
}
