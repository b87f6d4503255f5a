import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';

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

/** The properties of a row that it is counted by. */
export interface CountedRow {
  readonly agentId: number;
  readonly endReason: EndReason;
  /** Milliseconds since 1970. */
  readonly conversationUpdatedAt: number;
  readonly digest: bigint;
}

const HOUR_MS = 60 * 60 * 1000;

/** Counts that are changed by one statement. */
const CHUNK_CHANGES = 2_000;

const COLUMNS = Object.values(COUNT_COLUMNS);

@Injectable()
export class SessionCountRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Adds changes to the counts: in the transaction that changes their rows, and under the intake lock. */
  async add(organizationId: string, changes: SessionCountChanges): Promise<void> {
    for (const some of changes.inChunks()) await this.addSome(organizationId, some);
  }

  private async addSome(organizationId: string, changed: readonly object[]): Promise<void> {
    const empty = await this.manager.query<{ place: string }[]>(
      `WITH count AS (
         INSERT INTO contact_center.session_count AS count (
           organization_id, agent_id, hours, starts_at, digest, last_change, ${COLUMNS.join(', ')}
         )
         SELECT $1, agent_id, hours, to_timestamp(starts_at / 1000), digest, last_change, ${COLUMNS.join(', ')}
         FROM json_to_recordset($2) AS change (
           agent_id integer, hours smallint, starts_at float8, digest bigint, last_change bigint,
           ${COLUMNS.map((column) => `${column} integer`).join(', ')}
         )
         ON CONFLICT (organization_id, agent_id, hours, starts_at) DO UPDATE SET
           digest = count.digest # excluded.digest,
           last_change = excluded.last_change,
           ${COLUMNS.map((column) => `${column} = count.${column} + excluded.${column}`).join(', ')}
         RETURNING ctid AS place, ${COLUMNS.join(' + ')} AS rows
       )
       SELECT place::text FROM count WHERE rows = 0`,
      [organizationId, JSON.stringify(changed)],
    );
    if (empty.length === 0) return;
    await this.manager.query(
      'DELETE FROM contact_center.session_count WHERE organization_id = $1 AND ctid = ANY ($2::tid[])',
      [organizationId, empty.map(({ place }) => place)],
    );
  }
}

/** SQL: the greatest number among the rows of an hour, which is a row of session_count as `count`. */
export const LAST_CHANGE_OF_HOUR = `(
  SELECT max(change) FROM contact_center.conversation_session
  WHERE organization_id = count.organization_id
    AND conversation_updated_at >= count.starts_at
    AND conversation_updated_at < count.starts_at + interval '1 hour'
)`;

interface CountChange extends Record<(typeof COLUMNS)[number], number> {
  readonly agent_id: number;
  readonly hours: number;
  readonly starts_at: number;
  /** Only everyone's counts by the hour do. */
  readonly holdsDigests: boolean;
  digest: bigint;
  /** Greater than every number before it; null if it has to be looked up. */
  last_change: number | null;
}

/** What the rows that a transaction removes and adds change of the counts: of all its rows, a count changes once. */
export class SessionCountChanges {
  private readonly changes = new Map<string, CountChange>();

  /** How many counts change. */
  get size(): number {
    return this.changes.size;
  }

  /**
   * @param by 1: the row is added, -1: it is removed
   * @param newChange the number that the row just got; null if it got none, or gets one later
   */
  note(row: CountedRow, by: 1 | -1, newChange: number | null): void {
    for (const agent_id of [EVERYONE, row.agentId]) {
      for (const hours of COUNTED_HOURS) {
        const length = hours * HOUR_MS;
        const starts_at = Math.floor(row.conversationUpdatedAt / length) * length;
        const key = `${agent_id} ${hours} ${starts_at}`;
        let change = this.changes.get(key);
        if (!change) {
          const holdsDigests = agent_id === EVERYONE && hours === 1;
          change = { agent_id, hours, starts_at, holdsDigests, digest: 0n, last_change: null, ...NO_CHANGE };
          this.changes.set(key, change);
        }
        change[COUNT_COLUMNS[row.endReason]] += by;
        if (!change.holdsDigests) continue;
        change.digest ^= row.digest;
        if (newChange !== null) change.last_change = Math.max(change.last_change ?? 0, newChange);
      }
    }
  }

  /** Those that are added by one statement: the rows of one conversation can change tens of thousands. */
  *inChunks(): Generator<readonly object[], void> {
    let chunk: object[] = [];
    for (const { holdsDigests, digest, ...change } of this.changes.values()) {
      if (!holdsDigests && COLUMNS.every((column) => change[column] === 0)) continue;
      chunk.push({ ...change, digest: String(digest) });
      if (chunk.length < CHUNK_CHANGES) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
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
