import { nullable, numberColumn, Statement, textColumn, textsColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { copyRows } from '../database/copy-rows';
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

/** $1 organization, $2 changes as a JSON array. The places of the counts that have no rows any more, and null for the others. */
const ADD = new Statement(
  { place: nullable(textColumn(`CASE WHEN ${ALL_ROWS} = 0 THEN ctid END`)) },
  (list) => `INSERT INTO contact_center.session_count AS count (
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
     RETURNING ${list}`,
);

/** $1 organization, $2 places, which it has to be told in the transaction that has written there. */
const DELETE = new Statement(
  {},
  'DELETE FROM contact_center.session_count WHERE organization_id = $1 AND ctid = ANY ($2::tid[])',
);

/** $1 organization, from $2 on the values of the filters. */
const CHOSEN_GROUPS = new Statement(
  { id: numberColumn('group_id') },
  (list) => `SELECT ${list} ${chosenGroups(2)}`,
);

/** $1 organization, from $2 on the values of groups. */
const FIND_GROUPS = new Statement(
  {
    id: numberColumn('stored.group_id'),
    values: textsColumn(`ARRAY[${GROUP_COLUMNS.map((column) => `stored.${column}::text`).join(', ')}]`),
  },
  (list) => `SELECT ${list} FROM unnest(${groupArrays(2)}) AS wanted (${GROUP_COLUMNS.join(', ')})
     JOIN contact_center.session_group AS stored
       ON stored.organization_id = $1 AND (${groupOf('stored')}) = (${groupOf('wanted')})`,
);

const LAST_GROUP = new Statement(
  { id: numberColumn('coalesce(max(group_id), 0)') },
  (list) => `SELECT ${list} FROM contact_center.session_group WHERE organization_id = $1`,
);

/** $1 organization. */
const DELETE_UNUSED_GROUPS = new Statement(
  {},
  `DELETE FROM contact_center.session_group AS stored WHERE organization_id = $1 AND NOT EXISTS (
     SELECT FROM contact_center.session_count AS count
     WHERE count.organization_id = $1 AND count.group_id = stored.group_id
   )`,
);

/** The groups of an organization's rows, and how many rows there are of each. */
export class SessionCountRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Adds changes to the counts: in the transaction that changes their rows, and under the intake lock. */
  async add(organizationId: string, changes: SessionCountChanges): Promise<void> {
    for (const some of changes.inChunks()) {
      const written = await ADD.run(this.manager, [organizationId, JSON.stringify(some)]);
      const empty = written.flatMap(({ place }) => place ?? []);
      if (empty.length > 0) await DELETE.run(this.manager, [organizationId, empty]);
    }
  }

  /** @returns the ids of the groups that a filter chooses; undefined if it chooses none */
  async groupsMatching(organizationId: string, filter: FilterValues): Promise<number[] | undefined> {
    if (!choosesGroups(filter)) return undefined;
    const groups = await CHOSEN_GROUPS.run(this.manager, [organizationId, ...groupValues(filter)]);
    return groups.map(({ id }) => id);
  }

  /** @returns the id of each of the groups; groups that are new are stored, under the organization's intake lock */
  async groupIds(organizationId: string, groups: readonly Group[]): Promise<(group: Group) => number> {
    const wanted = [...new Map(groups.map((group) => [keyOf(group), group])).values()];
    const found = await FIND_GROUPS.run(this.manager, [
      organizationId,
      ...GROUP_COLUMNS.map((_, place) => wanted.map((group) => group[place])),
    ]);
    const ids = new Map(found.map(({ id, values }) => [keyOf(values), id]));
    await this.addGroups(
      organizationId,
      wanted.filter((group) => !ids.has(keyOf(group))),
      ids,
    );
    return (group) => ids.get(keyOf(group))!;
  }

  /** Deletes the groups, with the emails of their agents, that have no rows any more: under the organization's intake lock. */
  async deleteUnusedGroups(organizationId: string): Promise<void> {
    await DELETE_UNUSED_GROUPS.run(this.manager, [organizationId]);
  }

  private async addGroups(
    organizationId: string,
    groups: readonly Group[],
    ids: Map<string, number>,
  ): Promise<void> {
    if (groups.length === 0) return;
    const { id: last } = (await LAST_GROUP.first(this.manager, [organizationId]))!;
    groups.forEach((group, place) => ids.set(keyOf(group), last + 1 + place));
    await copyRows(
      this.manager,
      'contact_center.session_group',
      ['organization_id', 'group_id', ...GROUP_COLUMNS],
      groups,
      (group) => [organizationId, ids.get(keyOf(group))!, ...group],
    );
  }
}

/** No text of PostgreSQL holds the separator. */
function keyOf(group: Group): string {
  return group.join('\0');
}

/** SQL: the values of a group. */
function groupOf(table: string): string {
  return GROUP_COLUMNS.map((column) => `${table}.${column}`).join(', ');
}
