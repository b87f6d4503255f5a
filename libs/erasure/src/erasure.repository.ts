import {
  byteaColumn,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  UnscopedStatement,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { ErasedKeysOfTypes, ErasureMode, Found } from './erasure-area';
import type { ErasureReference } from './erased-keys';
import { NOBODY, type Subject } from './subject';

export type Erasure = RowOf<typeof ERASURE>;

const ERASURE = {
  organizationId: textColumn('organization_id'),
  id: textColumn('id'),
  mode: textColumn<ErasureMode>('mode'),
  /** Null of an erasure that only its certificate has brought, until the first request with its id and mode. */
  subjectHash: nullable(byteaColumn('subject_hash')),
  /** Null once the erasure is done. */
  subject: nullable(jsonColumn<Subject>('subject')),
  requestedAt: timeColumn('requested_at'),
  erasedAt: nullable(timeColumn('CASE WHEN subject IS NULL THEN erased_at END')),
  found: jsonColumn<Found>('found'),
  lastChange: nullable(numberColumn('last_change')),
};

/** What is relied on of a certificate. */
export interface AgainRequest extends ErasureReference {
  readonly requestedAt: string;
  readonly keys: ErasedKeysOfTypes;
}

/** The erasures of an area. */
export class ErasureRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(schema: string) {
    this.statements = statementsOf(schema);
  }

  /** Begins an erasure unless its id is taken; one that was applied again learns whose it is. */
  async add(
    manager: EntityManager,
    { organizationId, id, mode }: ErasureReference,
    subject: Subject,
    subjectHash: Buffer,
  ): Promise<void> {
    await this.statements.add.run(manager, [organizationId, id, mode, subjectHash, JSON.stringify(subject)]);
  }

  /**
   * Begins an erasure again, whose certificate is all that is left of it, or that is done. One that is under way goes on. It has a time at
   * which it was done, so that processes of the release before leave it alone: they know no pending keys.
   */
  async addAgain(
    manager: EntityManager,
    { organizationId, id, mode, requestedAt }: Omit<AgainRequest, 'keys'>,
  ): Promise<void> {
    const subject = JSON.stringify(NOBODY);
    await this.statements.addAgain.run(manager, [organizationId, id, mode, requestedAt, subject]);
  }

  find(manager: EntityManager, organizationId: string, id: string): Promise<Erasure | undefined> {
    return this.statements.find.first(manager, [organizationId, id]);
  }

  /** Some of the erasures that are not done: over time each of them, whatever becomes of the others. */
  underWay(manager: EntityManager, limit: number): Promise<{ organizationId: string; id: string }[]> {
    return this.statements.underWay.run(manager, [limit]);
  }

  /** Locks an erasure for a step. @returns undefined if it is done, or another process has it */
  lock(manager: EntityManager, organizationId: string, id: string): Promise<Erasure | undefined> {
    return this.statements.lock.first(manager, [organizationId, id]);
  }

  /** Adds to what an erasure has found. If it was done before, it is done at another time. */
  async note(manager: EntityManager, { organizationId, id }: ErasureReference, found: Found): Promise<void> {
    await this.statements.note.run(manager, [organizationId, id, JSON.stringify(found)]);
  }

  /** One that was done before, and has found nothing more, stays as it was. */
  async finish(
    manager: EntityManager,
    { organizationId, id }: ErasureReference,
    lastChange: number | null,
  ): Promise<void> {
    await this.statements.finish.run(manager, [organizationId, id, lastChange]);
  }
}

function statementsOf(schema: string) {
  const table = `${schema}.erasure`;
  const ofErasure = `WHERE organization_id = $1 AND id = $2`;
  return {
    add: new Statement(
      {},
      `INSERT INTO ${table} AS known (organization_id, id, mode, subject_hash, subject) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id, id) DO UPDATE SET subject_hash = excluded.subject_hash
       WHERE known.subject_hash IS NULL AND known.mode = excluded.mode`,
    ),
    addAgain: new Statement(
      {},
      `INSERT INTO ${table} AS known (organization_id, id, mode, requested_at, subject, erased_at)
       VALUES ($1, $2, $3, $4, $5, now())
       ON CONFLICT (organization_id, id) DO UPDATE SET requested_at = excluded.requested_at, subject = excluded.subject
       WHERE known.subject IS NULL`,
    ),
    find: new Statement(ERASURE, (list) => `SELECT ${list} FROM ${table} ${ofErasure}`),
    underWay: new UnscopedStatement(
      { organizationId: textColumn('organization_id'), id: textColumn('id') },
      (list) => `SELECT ${list} FROM ${table} WHERE subject IS NOT NULL ORDER BY random() LIMIT $1`,
    ),
    lock: new Statement(
      ERASURE,
      (list) => `SELECT ${list} FROM ${table} ${ofErasure} AND subject IS NOT NULL FOR UPDATE SKIP LOCKED`,
    ),
    note: new Statement(
      {},
      `UPDATE ${table} SET found = $3, last_change = NULL, erased_at = CASE WHEN erased_at IS NOT NULL THEN now() END
       ${ofErasure}`,
    ),
    finish: new Statement(
      {},
      `UPDATE ${table} SET subject = NULL, erased_at = coalesce(erased_at, now()), last_change = coalesce(last_change, $3)
       ${ofErasure}`,
    ),
  };
}
