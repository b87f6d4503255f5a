import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import {
  type Columns,
  type Grants,
  madeOnce,
  MAX_READ_BYTES,
  numberColumn,
  organizationsIn,
  precedingBytes,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';

/** A record as its line, and its place among those of its organization in one of the tables below. */
export interface KeptRecord {
  readonly id: string;
  readonly record: string;
}

/** A record that can't be stored as it is, and why. */
export interface Refusal {
  readonly record: string;
  readonly reason: string;
}

/** A record that was put aside. */
export interface RejectedRecord extends KeptRecord, Refusal {
  readonly organizationId: string;
  readonly rejectedAt: Date;
}

/** An organization that has records waiting. */
export interface WaitingOrganization {
  readonly organizationId: string;
  readonly since: Date;
}

/** Characters of a reason that are kept: PostgreSQL's may quote the value. */
const MAX_REASON = 2_000;

/** SQL of the table of records that were put aside. */
export function rejectedRecordTable(schema: string): string {
  return `
    -- Records that can't be stored, or sent, as they are. Nothing removes them but npx cxp rejected retry.
    CREATE TABLE ${schema}.rejected_record (
      organization_id text COLLATE "C",
      id bigint GENERATED ALWAYS AS IDENTITY,
      -- Of the record: one that is sent again is not put aside twice.
      digest bytea NOT NULL,
      record text NOT NULL,
      reason text NOT NULL,
      rejected_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (organization_id, id),
      UNIQUE (organization_id, digest)
    );
  `;
}

/** SQL of the tables that an area with a record stream has in its schema. */
export function unstoredRecordTables(schema: string): string {
  return `
    ${rejectedRecordTable(schema)}

    -- Records that came by the stream while their organization was busy, or failed, in their order.
    CREATE TABLE ${schema}.waiting_record (
      organization_id text COLLATE "C",
      id bigint GENERATED ALWAYS AS IDENTITY,
      record text NOT NULL,
      deferred_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (organization_id, id)
    );
  `;
}

/** What serving needs of them: only the command line looks at records that were put aside, and removes them. */
export const UNSTORED_RECORD_GRANTS: Grants = {
  rejected_record: ['SELECT', 'INSERT', 'UPDATE'],
  waiting_record: ['SELECT', 'INSERT', 'DELETE'],
};

export const REJECTED_RECORD_OPERATOR_GRANTS: Grants = { rejected_record: ['SELECT', 'DELETE'] };

/** The records of an area that came by its stream and are not stored: those that wait, and those that were put aside. */
export class UnstoredRecords {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly manager: EntityManager,
    private readonly schema: string,
  ) {
    this.statements = statementsOf(schema);
  }

  /** Adds records behind those of the organization that wait. */
  async defer(organizationId: string, records: readonly string[]): Promise<void> {
    await this.statements.defer.run(this.manager, [organizationId, records.map(storable)]);
  }

  async waitingOrganizations(): Promise<WaitingOrganization[]> {
    const found: WaitingOrganization[] = [];
    for (const organizationId of await organizationsIn(this.manager, `${this.schema}.waiting_record`)) {
      const first = await this.statements.waitingSince.first(this.manager, [organizationId]);
      if (first) found.push({ organizationId, ...first });
    }
    return found;
  }

  /** The records of the organization that have waited longest: so many, or, of large ones, some megabytes. */
  async firstWaiting(organizationId: string, limit: number): Promise<KeptRecord[]> {
    return this.statements.firstWaiting.run(this.manager, [organizationId, '0', limit]);
  }

  async removeWaiting(organizationId: string, records: readonly KeptRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.statements.removeWaiting.run(this.manager, [organizationId, idsOf(records)]);
  }

  /**
   * Removes some of the next records that are not stored: of those that wait, and then of those that were put aside.
   * @param place where they begin: what the call before has returned
   * @param choose whether each of the records is removed
   * @returns undefined when there are no more
   */
  async removeNext(
    organizationId: string,
    place: string | undefined,
    limit: number,
    choose: (records: readonly string[]) => Promise<readonly boolean[]>,
  ): Promise<{ place: string; removed: number } | undefined> {
    const [kind, after = '0'] = (place ?? 'waiting').split(' ');
    const waits = kind === 'waiting';
    const first = waits ? this.statements.firstWaiting : this.statements.firstRejected;
    const found: KeptRecord[] = await first.run(this.manager, [organizationId, after, limit]);
    if (found.length === 0) return waits ? { place: 'rejected', removed: 0 } : undefined;
    const chosen = await choose(found.map(({ record }) => record));
    const removed = found.filter((_, index) => chosen[index]);
    await (waits
      ? this.removeWaiting(organizationId, removed)
      : this.removeRejected(organizationId, removed));
    return { place: `${kind} ${found.at(-1)!.id}`, removed: removed.length };
  }

  /** Puts records aside. One that was put aside before gets the new reason. */
  async reject(organizationId: string, refusals: readonly Refusal[]): Promise<void> {
    if (refusals.length === 0) return;
    const byDigest = new Map(
      refusals.map(({ record, reason }) => [digestOf(record), { record, reason }] as const),
    );
    const rejected = [...byDigest.values()];
    await this.statements.reject.run(this.manager, [
      organizationId,
      [...byDigest.keys()],
      rejected.map(({ record }) => storable(record)),
      rejected.map(({ reason }) => storable(reason.slice(0, MAX_REASON))),
    ]);
  }

  /** The first rejected records of an organization, after one of them. */
  async firstRejected(organizationId: string, limit: number, after = '0'): Promise<RejectedRecord[]> {
    return this.statements.firstRejected.run(this.manager, [organizationId, after, limit]);
  }

  async removeRejected(organizationId: string, records: readonly KeptRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.statements.removeRejected.run(this.manager, [organizationId, idsOf(records)]);
  }

  /**
   * How many records each organization has rejected.
   * @param most how many are counted of an organization at most; `null`: all
   */
  async countRejected(most: number | null): Promise<{ organizationId: string; count: number }[]> {
    const counts: { organizationId: string; count: number }[] = [];
    for (const organizationId of await organizationsIn(this.manager, `${this.schema}.rejected_record`)) {
      const counted = await this.statements.countRejected.first(this.manager, [organizationId, most]);
      counts.push({ organizationId, ...counted! });
    }
    return counts;
  }
}

const KEPT = { id: textColumn('id'), record: textColumn('record') };

/** $1 is the organization, where one is asked about. */
const statementsOf = madeOnce((schema: string) => {
  const [waiting, rejected] = [`${schema}.waiting_record`, `${schema}.rejected_record`];
  return {
    /** $2 records. */
    defer: new Statement(
      {},
      `INSERT INTO ${waiting} (organization_id, record)
       SELECT $1::text, record FROM unnest($2::text[]) WITH ORDINALITY AS deferred (record, place) ORDER BY place`,
    ),
    waitingSince: new Statement(
      { since: timeColumn('deferred_at') },
      (list) => `SELECT ${list} FROM ${waiting} WHERE organization_id = $1 ORDER BY id LIMIT 1`,
    ),
    firstWaiting: firstOf(KEPT, waiting),
    removeWaiting: removeFrom(waiting),
    /** $2 digests, $3 records, $4 reasons. */
    reject: new Statement(
      {},
      `INSERT INTO ${rejected} (organization_id, digest, record, reason)
       SELECT $1::text, decode(digest, 'hex'), record, reason
       FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS rejected (digest, record, reason, place)
       ORDER BY place
       ON CONFLICT (organization_id, digest) DO UPDATE
       SET reason = excluded.reason, rejected_at = excluded.rejected_at`,
    ),
    firstRejected: firstOf(
      {
        organizationId: textColumn('organization_id'),
        ...KEPT,
        reason: textColumn('reason'),
        rejectedAt: timeColumn('rejected_at'),
      },
      rejected,
    ),
    removeRejected: removeFrom(rejected),
    /** $2 limit. */
    countRejected: new Statement(
      { count: numberColumn('count(*)') },
      (list) =>
        `SELECT ${list} FROM (SELECT id FROM ${rejected} WHERE organization_id = $1 LIMIT $2) AS counted`,
    ),
  };
});

/** The first records of an organization, those of some megabytes at most. $2 the id that they come after, $3 limit. */
function firstOf<RowColumns extends Columns>(columns: RowColumns, table: string): Statement<RowColumns> {
  return new Statement(
    columns,
    (list) => `SELECT ${list} FROM (
       SELECT *, ${precedingBytes('octet_length(record)', 'id')} AS preceding
       FROM (SELECT * FROM ${table} WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3) AS first
     ) AS bounded
     WHERE preceding < ${MAX_READ_BYTES} ORDER BY bounded.id`,
  );
}

/** $2 ids. */
function removeFrom(table: string): Statement<Record<string, never>> {
  return new Statement({}, `DELETE FROM ${table} WHERE organization_id = $1 AND id = ANY ($2::bigint[])`);
}

function idsOf(records: readonly KeptRecord[]): string[] {
  return records.map(({ id }) => id);
}

/** PostgreSQL stores no NUL; a record that holds one as it is, and not escaped, is no JSON. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function digestOf(record: string): string {
  return createHash('sha256').update(record).digest('hex');
}
