import type { MigrationInterface } from 'typeorm';

export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

/** What a role may do with the rows of each table. */
export type Grants = Readonly<Record<string, readonly Privilege[]>>;

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** For the role that serves: what the statements of the services need, and nothing else. A test compares both. */
  readonly servingGrants: Grants;
  /** What only the release before needs, which serves beside this one while it is rolled out. */
  readonly formerServingGrants?: Grants;
  /** For the role of the command line, which also has the rights of all roles that serve. */
  readonly operatorGrants?: Grants;
}
