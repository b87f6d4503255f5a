import type { EntityManager } from 'typeorm';
import {
  chosenGroups,
  choosesGroups,
  type FilterValues,
  type Group,
  GROUP_COLUMNS,
  groupArrays,
  groupValues,
} from './filters';

const COLUMNS = GROUP_COLUMNS.join(', ');

/** $1 organization. Not ON CONFLICT DO NOTHING, which takes an id from the sequence for every group that is there already. */
const FIND_OR_ADD = `
  WITH wanted AS (
    SELECT * FROM unnest(${groupArrays(2)}) AS wanted (${COLUMNS})
  ), known AS (
    SELECT stored.group_id, wanted.* FROM wanted JOIN contact_center.session_group AS stored
      ON stored.organization_id = $1 AND (${of('stored')}) = (${of('wanted')})
  ), new_group AS (
    INSERT INTO contact_center.session_group (organization_id, ${COLUMNS})
    SELECT $1, ${COLUMNS} FROM (TABLE wanted EXCEPT SELECT ${COLUMNS} FROM known) AS missing
    RETURNING group_id, ${COLUMNS}
  )
  SELECT group_id AS id, ARRAY[${GROUP_COLUMNS.map((column) => `${column}::text`).join(', ')}] AS values
  FROM (TABLE known UNION ALL TABLE new_group) AS found`;

export class SessionGroupRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns undefined if the filter chooses no groups */
  async idsMatching(organizationId: string, filter: FilterValues): Promise<number[] | undefined> {
    if (!choosesGroups(filter)) return undefined;
    const groups = await this.manager.query<{ group_id: number }[]>(chosenGroups(2), [
      organizationId,
      ...groupValues(filter),
    ]);
    return groups.map(({ group_id }) => group_id);
  }

  /** @returns the id of each of the groups; groups that are new are stored */
  async idsOf(organizationId: string, groups: readonly Group[]): Promise<(group: Group) => number> {
    const wanted = [...new Map(groups.map((group) => [keyOf(group), group])).values()];
    const found = await this.manager.query<{ id: number; values: Group }[]>(FIND_OR_ADD, [
      organizationId,
      ...GROUP_COLUMNS.map((_, place) => wanted.map((group) => group[place])),
    ]);
    const ids = new Map(found.map(({ id, values }) => [keyOf(values), id]));
    return (group) => ids.get(keyOf(group))!;
  }
}

function keyOf(group: Group): string {
  return group.join(' ');
}

function of(table: string): string {
  return GROUP_COLUMNS.map((column) => `${table}.${column}`).join(', ');
}
