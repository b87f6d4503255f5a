import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';

/** The pool of pg that a data source has. */
export function poolOf({ driver }: DataSource): Pool {
  return (driver as PostgresDriver).master as Pool;
}
