import type { MigrationInterface } from 'typeorm';

export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** What serving takes on each of its tables; everything by default. */
  readonly servingPrivileges?: readonly Privilege[];
}
