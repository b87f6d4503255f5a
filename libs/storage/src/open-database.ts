import { DataSource } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import { type DatabaseArea, entitiesOf } from './database-area';

/** Opens a database for a tool or a test: without limits, for one that may do everything with it. */
export function openDatabase(
  url: string,
  areas: readonly DatabaseArea[],
  options: Partial<PostgresDataSourceOptions> = {},
): Promise<DataSource> {
  return new DataSource({ ...options, type: 'postgres', url, entities: entitiesOf(areas) }).initialize();
}
