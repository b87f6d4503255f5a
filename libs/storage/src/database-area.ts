import type { MigrationInterface } from 'typeorm';

type EntityTarget = new () => object;

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** The tables whose rows are looked up or saved one at a time. */
  readonly entities?: readonly EntityTarget[];
  /** The services only read it: the command line writes. */
  readonly isReadOnly?: boolean;
}

export function entitiesOf(areas: readonly DatabaseArea[]): EntityTarget[] {
  return areas.flatMap(({ entities = [] }) => entities);
}
