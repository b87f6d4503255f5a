import type { MigrationInterface } from 'typeorm';

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** The services only read it: the command line writes. */
  readonly isReadOnly?: boolean;
}
