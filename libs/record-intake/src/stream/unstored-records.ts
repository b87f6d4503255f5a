import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { MAX_READ_BYTES, precedingBytes } from '@cxp/storage';

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

/** The records of an area that came by its stream and are not stored: those that wait, and those that were put aside. */
export class UnstoredRecords {
  constructor(
    private readonly manager: EntityManager,
    private readonly schema: string,
  ) {}

  /** Adds records behind those of the organization that wait. */
  async defer(organizationId: string, records: readonly string[]): Promise<void> {
    await this.manager.query(
      `INSERT INTO ${this.schema}.waiting_record (organization_id, record)
       SELECT $1::text, record FROM unnest($2::text[]) WITH ORDINALITY AS deferred (record, place) ORDER BY place`,
      [organizationId, records.map(storable)],
    );
  }

  async waitingOrganizations(): Promise<WaitingOrganization[]> {
    return this.manager.query<WaitingOrganization[]>(
      `SELECT organization_id AS "organizationId", min(deferred_at) AS since
       FROM ${this.schema}.waiting_record GROUP BY organization_id`,
    );
  }

  /** The records of the organization that have waited longest: so many, or, of large ones, some megabytes. */
  async firstWaiting(organizationId: string, limit: number): Promise<KeptRecord[]> {
    return this.manager.query<KeptRecord[]>(
      `SELECT id, record FROM (
         SELECT id, record, ${precedingBytes('octet_length(record)', 'id')} AS preceding
         FROM (
           SELECT id, record FROM ${this.schema}.waiting_record WHERE organization_id = $1 ORDER BY id LIMIT $2
         ) AS first
       ) AS bounded
       WHERE preceding < $3 ORDER BY id`,
      [organizationId, limit, MAX_READ_BYTES],
    );
  }

  async removeWaiting(organizationId: string, records: readonly KeptRecord[]): Promise<void> {
    await this.remove('waiting_record', organizationId, records);
  }

  /** Puts records aside. One that was put aside before gets the new reason. */
  async reject(organizationId: string, refusals: readonly Refusal[]): Promise<void> {
    if (refusals.length === 0) return;
    const byDigest = new Map(
      refusals.map(({ record, reason }) => [digestOf(record), { record, reason }] as const),
    );
    const rejected = [...byDigest.values()];
    await this.manager.query(
      `INSERT INTO ${this.schema}.rejected_record (organization_id, digest, record, reason)
       SELECT $1::text, decode(digest, 'hex'), record, reason
       FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS rejected (digest, record, reason, place)
       ORDER BY place
       ON CONFLICT (organization_id, digest) DO UPDATE
       SET reason = excluded.reason, rejected_at = excluded.rejected_at`,
      [
        organizationId,
        [...byDigest.keys()],
        rejected.map(({ record }) => storable(record)),
        rejected.map(({ reason }) => storable(reason.slice(0, MAX_REASON))),
      ],
    );
  }

  /** The first rejected records of an organization, after one of them. */
  async firstRejected(organizationId: string, limit: number, after = '0'): Promise<RejectedRecord[]> {
    return this.manager.query<RejectedRecord[]>(
      `SELECT organization_id AS "organizationId", id, record, reason, rejected_at AS "rejectedAt" FROM (
         SELECT *, ${precedingBytes('octet_length(record)', 'id')} AS preceding
         FROM (
           SELECT * FROM ${this.schema}.rejected_record WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3
         ) AS first
       ) AS bounded
       WHERE preceding < $4 ORDER BY id`,
      [organizationId, after, limit, MAX_READ_BYTES],
    );
  }

  async removeRejected(organizationId: string, records: readonly KeptRecord[]): Promise<void> {
    await this.remove('rejected_record', organizationId, records);
  }

  /**
   * How many records each organization has rejected.
   * @param most how many are counted at most; `null`: all
   */
  async countRejected(most: number | null): Promise<{ organizationId: string; count: number }[]> {
    return this.manager.query<{ organizationId: string; count: number }[]>(
      `SELECT organization_id AS "organizationId", count(*)::int AS count
       FROM (SELECT organization_id FROM ${this.schema}.rejected_record LIMIT $1) AS rejected
       GROUP BY organization_id ORDER BY organization_id`,
      [most],
    );
  }

  private async remove(table: string, organizationId: string, records: readonly KeptRecord[]): Promise<void> {
    if (records.length === 0) return;
    await this.manager.query(
      `DELETE FROM ${this.schema}.${table} WHERE organization_id = $1 AND id = ANY ($2::bigint[])`,
      [organizationId, records.map(({ id }) => id)],
    );
  }
}

/** PostgreSQL stores no NUL; a record that holds one as it is, and not escaped, is no JSON. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function digestOf(record: string): string {
  return createHash('sha256').update(record).digest('hex');
}
