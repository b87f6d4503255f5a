import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { type DatabaseArea, entitiesOf } from './database-area';

/** For a tool or a test: one user without limits. */
export function openDatabase(
  url: string,
  areas: readonly DatabaseArea[],
  options: Partial<PostgresDataSourceOptions> = {},
): Promise<DataSource> {
  return new DataSource({ ...options, type: 'postgres', url, entities: entitiesOf(areas) }).initialize();
}
