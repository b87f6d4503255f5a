import type { EntityManager } from 'typeorm';

/** Stretches of time that rows are counted by, in hours; each is whole in the next longer one. */
export const COUNTED_HOURS = [1, 24, 768] as const;

/** Counts of all rows, beside those of each agent. */
export const EVERYONE = 0;

/** The count that a row adds to, by its end reason; a ticket without a session has none. */
export const COUNT_COLUMNS = {
  handoff_to_ai: 'handoff_to_ai',
  terminal: 'terminal',
  replaced_by_other_handoff: 'replaced_by_other_handoff',
  service_account_takeover: 'service_account_takeover',
  open_at_end: 'open_at_end',
  '': 'without_session',
} as const;

export type EndReason = keyof typeof COUNT_COLUMNS;

/** What a row is counted by. */
export interface CountedRow {
  readonly agent_id: number;
  readonly session_end_reason: EndReason;
  /** Milliseconds since 1970. */
  readonly conversation_updated_at: number;
}

const HOUR_MS = 60 * 60 * 1000;
const COLUMNS = Object.values(COUNT_COLUMNS);

export class SessionCountRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** Counts rows that are gone and rows that are new, exactly: in their transaction, and under the intake lock. */
  async change(gone: readonly CountedRow[], added: readonly CountedRow[]): Promise<void> {
    const changes = new Map<string, CountChange>();
    for (const row of gone) note(changes, row, -1);
    for (const row of added) note(changes, row, 1);
    const changed = [...changes.values()].filter((change) => COLUMNS.some((column) => change[column] !== 0));
    if (changed.length === 0) return;
    const empty = await this.manager.query<{ place: string }[]>(
      `WITH count AS (
         INSERT INTO contact_center.session_count AS count (
           organization_id, agent_id, hours, starts_at, ${COLUMNS.join(', ')}
         )
         SELECT $1, agent_id, hours, to_timestamp(starts_at / 1000), ${COLUMNS.join(', ')}
         FROM json_to_recordset($2) AS change (
           agent_id integer, hours smallint, starts_at float8,
           ${COLUMNS.map((column) => `${column} integer`).join(', ')}
         )
         ON CONFLICT (organization_id, agent_id, hours, starts_at) DO UPDATE SET
           ${COLUMNS.map((column) => `${column} = count.${column} + excluded.${column}`).join(', ')}
         RETURNING ctid AS place, ${COLUMNS.join(' + ')} AS rows
       )
       SELECT place::text FROM count WHERE rows = 0`,
      [this.organizationId, JSON.stringify(changed)],
    );
    if (empty.length === 0) return;
    await this.manager.query(
      'DELETE FROM contact_center.session_count WHERE organization_id = $1 AND ctid = ANY ($2::tid[])',
      [this.organizationId, empty.map(({ place }) => place)],
    );
  }
}

type CountChange = { agent_id: number; hours: number; starts_at: number } & Record<
  (typeof COLUMNS)[number],
  number
>;

function note(changes: Map<string, CountChange>, row: CountedRow, by: 1 | -1): void {
  for (const agent_id of [EVERYONE, row.agent_id]) {
    for (const hours of COUNTED_HOURS) {
      const length = hours * HOUR_MS;
      const starts_at = Math.floor(row.conversation_updated_at / length) * length;
      const key = `${agent_id} ${hours} ${starts_at}`;
      const change = changes.get(key) ?? { agent_id, hours, starts_at, ...NO_CHANGE };
      change[COUNT_COLUMNS[row.session_end_reason]] += by;
      changes.set(key, change);
    }
  }
}

const NO_CHANGE = {
  handoff_to_ai: 0,
  terminal: 0,
  replaced_by_other_handoff: 0,
  service_account_takeover: 0,
  open_at_end: 0,
  without_session: 0,
};
