import type { EntitySchema, MigrationInterface } from 'typeorm';

type EntityTarget = (new () => object) | EntitySchema;

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
  /** Tables that are read and written row by row. One without a schema of its own is in that of the area. */
  readonly entities?: readonly EntityTarget[];
  /** The services only read it: the command line writes. */
  readonly isReadOnly?: boolean;
}

/** The options of a data source that has the entities of some areas, of which at most one is not read only. */
export function entitiesOf(areas: readonly DatabaseArea[]): {
  readonly entities: EntityTarget[];
  readonly schema: string | undefined;
} {
  return {
    entities: areas.flatMap(({ entities = [] }) => entities),
    schema: areas.find(({ isReadOnly }) => !isReadOnly)?.schema,
  };
}
