import { numberColumn, Statement, textColumn, textsColumn } from '@cxp/storage';
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
import { ALL_ROWS, COUNT_COLUMNS, type SessionCountChanges } from './session-count-changes';

const COUNTS = COUNT_COLUMNS.join(', ');
const GROUPS = GROUP_COLUMNS.join(', ');

/** $1 organization, $2 changes as a JSON array. The counts that have no rows any more. */
const ADD = new Statement(
  { place: textColumn('place') },
  (list) => `WITH session_count AS (
     INSERT INTO contact_center.session_count AS count (
       organization_id, group_id, hours, starts_at, digest, last_change, ${COUNTS}
     )
     SELECT $1, group_id, hours, to_timestamp(starts_at / 1000), digest, last_change, ${COUNTS}
     FROM json_to_recordset($2) AS change (
       group_id integer, hours smallint, starts_at float8, digest bigint, last_change bigint,
       ${COUNT_COLUMNS.map((column) => `${column} integer`).join(', ')}
     )
     ON CONFLICT (organization_id, group_id, hours, starts_at) DO UPDATE SET
       digest = count.digest # excluded.digest,
       last_change = excluded.last_change,
       ${COUNT_COLUMNS.map((column) => `${column} = count.${column} + excluded.${column}`).join(', ')}
     RETURNING ctid AS place, ${ALL_ROWS} AS rows
   )
   SELECT ${list} FROM session_count WHERE rows = 0`,
);

/** $1 organization, $2 places. */
const DELETE = new Statement(
  {},
  'DELETE FROM contact_center.session_count WHERE organization_id = $1 AND ctid = ANY ($2::tid[])',
);

/** $1 organization, from $2 on the values of the filters. */
const CHOSEN_GROUPS = new Statement(
  { id: numberColumn('chosen.group_id') },
  (list) => `SELECT ${list} FROM (${chosenGroups(2)}) AS chosen`,
);

/**
 * $1 organization, from $2 on the values of groups. Not ON CONFLICT DO NOTHING, which takes an id from the sequence for every group that is
 * there already.
 */
const FIND_OR_ADD_GROUPS = new Statement(
  {
    id: numberColumn('group_id'),
    values: textsColumn(`ARRAY[${GROUP_COLUMNS.map((column) => `${column}::text`).join(', ')}]`),
  },
  (list) => `WITH wanted AS (
     SELECT * FROM unnest(${groupArrays(2)}) AS wanted (${GROUPS})
   ), known AS (
     SELECT stored.group_id, wanted.* FROM wanted JOIN contact_center.session_group AS stored
       ON stored.organization_id = $1 AND (${groupOf('stored')}) = (${groupOf('wanted')})
   ), new_group AS (
     INSERT INTO contact_center.session_group (organization_id, ${GROUPS})
     SELECT $1, ${GROUPS} FROM (TABLE wanted EXCEPT SELECT ${GROUPS} FROM known) AS missing
     RETURNING group_id, ${GROUPS}
   )
   SELECT ${list} FROM (TABLE known UNION ALL TABLE new_group) AS found`,
);

/** The groups of an organization's rows, and how many rows there are of each. */
export class SessionCountRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Adds changes to the counts: in the transaction that changes their rows, and under the intake lock. */
  async add(organizationId: string, changes: SessionCountChanges): Promise<void> {
    for (const some of changes.inChunks()) {
      const empty = await ADD.run(this.manager, [organizationId, JSON.stringify(some)]);
      if (empty.length === 0) continue;
      await DELETE.run(this.manager, [organizationId, empty.map(({ place }) => place)]);
    }
  }

  /** @returns the ids of the groups that a filter chooses; undefined if it chooses none */
  async groupsMatching(organizationId: string, filter: FilterValues): Promise<number[] | undefined> {
    if (!choosesGroups(filter)) return undefined;
    const groups = await CHOSEN_GROUPS.run(this.manager, [organizationId, ...groupValues(filter)]);
    return groups.map(({ id }) => id);
  }

  /** @returns the id of each of the groups; groups that are new are stored */
  async groupIds(organizationId: string, groups: readonly Group[]): Promise<(group: Group) => number> {
    const wanted = [...new Map(groups.map((group) => [keyOf(group), group])).values()];
    const found = await FIND_OR_ADD_GROUPS.run(this.manager, [
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

/** SQL: the values of a group. */
function groupOf(table: string): string {
  return GROUP_COLUMNS.map((column) => `${table}.${column}`).join(', ');
}
