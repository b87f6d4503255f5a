import {
  byteaColumn,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { ErasureMode, Found } from './erasure-area';

export type Erasure = RowOf<typeof ERASURE>;

const ERASURE = {
  organizationId: textColumn('organization_id'),
  id: textColumn('id'),
  mode: textColumn<ErasureMode>('mode'),
  subjectHash: byteaColumn('subject_hash'),
  /** Encrypted; null once the erasure is done, and of one that is applied again. */
  subject: nullable(byteaColumn('subject')),
  scannedTo: nullable(textColumn('scanned_to')),
  requestedAt: timeColumn('requested_at'),
  erasedAt: nullable(timeColumn('erased_at')),
  found: jsonColumn<Found>('found'),
  lastChange: nullable(numberColumn('last_change')),
  sealed: nullable(textColumn('sealed')),
};

/** The `subjectHash` of an erasure that is applied again, until the first request with its id and mode. */
export const NOT_KNOWN = Buffer.alloc(0);

type NewErasure = Pick<Erasure, 'organizationId' | 'id' | 'mode' | 'subjectHash'>;

/** What a step has done. */
export type Step =
  | {
      readonly isDone: false;
      readonly found: Found;
      /** As before if it is left out. */
      readonly scannedTo?: string | null;
    }
  | { readonly isDone: true; readonly lastChange: number | null; readonly sealed: string };

/** The erasures of an area. */
export class ErasureRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(schema: string) {
    this.statements = statementsOf(schema);
  }

  /** @returns whether the id was free */
  async add(
    manager: EntityManager,
    { organizationId, id, mode, subjectHash }: NewErasure,
    subject: Buffer,
  ): Promise<boolean> {
    const values = [organizationId, id, mode, subjectHash, subject];
    return (await this.statements.add.count(manager, values)) === 1;
  }

  /** Notes of which subject an erasure is that is applied again, unless that is known. */
  async noteSubject(
    manager: EntityManager,
    { organizationId, id, mode, subjectHash }: NewErasure,
  ): Promise<void> {
    await this.statements.noteSubject.run(manager, [organizationId, id, mode, subjectHash, NOT_KNOWN]);
  }

  /** Begins an erasure again, whose certificate is all that is left of it; one that is here begins again, too. */
  async addAgain(
    manager: EntityManager,
    { organizationId, id, mode, requestedAt, sealed }: AgainRequest,
  ): Promise<void> {
    await this.statements.addAgain.run(manager, [organizationId, id, mode, requestedAt, sealed, NOT_KNOWN]);
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

  async note(manager: EntityManager, { organizationId, id, ...erasure }: Erasure, step: Step): Promise<void> {
    if (step.isDone) {
      await this.statements.finish.run(manager, [organizationId, id, step.lastChange, step.sealed]);
    } else {
      const found = JSON.stringify(step.found);
      const { scannedTo = erasure.scannedTo } = step;
      await this.statements.note.run(manager, [organizationId, id, found, scannedTo]);
    }
  }
}

export interface AgainRequest {
  readonly organizationId: string;
  readonly id: string;
  readonly mode: ErasureMode;
  readonly requestedAt: string;
  readonly sealed: string;
}

function statementsOf(schema: string) {
  const table = `${schema}.erasure`;
  const ofErasure = `WHERE organization_id = $1 AND id = $2`;
  return {
    add: new Statement(
      {},
      `INSERT INTO ${table} (organization_id, id, mode, subject_hash, subject) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id, id) DO NOTHING`,
    ),
    noteSubject: new Statement(
      {},
      `UPDATE ${table} SET subject_hash = $4 ${ofErasure} AND mode = $3 AND subject_hash = $5`,
    ),
    addAgain: new Statement(
      {},
      `INSERT INTO ${table} AS known (organization_id, id, mode, requested_at, sealed, subject_hash, scanned_to)
       VALUES ($1, $2, $3, $4, $5, $6, '')
       ON CONFLICT (organization_id, id) DO UPDATE
       SET mode = excluded.mode, requested_at = excluded.requested_at, sealed = excluded.sealed,
         subject_hash = excluded.subject_hash, erased_at = NULL, scanned_to = ''
       WHERE known.erased_at IS NOT NULL`,
    ),
    find: new Statement(ERASURE, (list) => `SELECT ${list} FROM ${table} ${ofErasure}`),
    underWay: new Statement(
      { organizationId: textColumn('organization_id'), id: textColumn('id') },
      (list) => `SELECT ${list} FROM ${table} WHERE erased_at IS NULL ORDER BY random() LIMIT $1`,
    ),
    lock: new Statement(
      ERASURE,
      (list) => `SELECT ${list} FROM ${table} ${ofErasure} AND erased_at IS NULL FOR UPDATE SKIP LOCKED`,
    ),
    note: new Statement({}, `UPDATE ${table} SET found = $3, scanned_to = $4 ${ofErasure}`),
    finish: new Statement(
      {},
      `UPDATE ${table}
       SET erased_at = now(), last_change = $3, sealed = $4, subject = NULL, scanned_to = NULL ${ofErasure}`,
    ),
  };
}
