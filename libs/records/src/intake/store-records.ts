import { escapeLiteral } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { type InvalidItem, ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ADVISORY_LOCKS, inTransaction, isDataFault } from '@cxp/storage';
import { type ReceivedRecord, type RecordStore, recordLoc } from '../schemas/record-types';

/** Milliseconds; 0 waits without limit. */
export interface LockTimeouts {
  /** For earlier transactions of the organization. */
  readonly organizationLockMs: number;
  /** For another transaction's lock. */
  readonly lockMs: number;
}

/** An intake that waits longer is a 503, and a step of an erasure is retried. */
export const INTAKE_TIMEOUTS: LockTimeouts = { organizationLockMs: 15_000, lockMs: 1_500 };

const PATIENT: LockTimeouts = { organizationLockMs: 0, lockMs: 0 };

/**
 * Stores records in one transaction under the organization's lock.
 * @param begin is called with the lock; if it throws, nothing is stored
 * @throws ProblemError 422; nothing is stored
 */
export async function storeRecords(
  dataSource: DataSource,
  area: RecordStore,
  organizationId: string,
  records: readonly ReceivedRecord[],
  timeouts = PATIENT,
  begin?: () => void,
): Promise<void> {
  const locked = (work: (manager: EntityManager) => Promise<void>) =>
    withOrganizationLock(
      dataSource,
      area.name,
      organizationId,
      (manager) => {
        begin?.();
        return work(manager);
      },
      timeouts,
    );
  try {
    await locked((manager) => area.store(manager, organizationId, records));
  } catch (error) {
    if (!isDataFault(error)) throw error;
    await locked(async (manager) =>
      rejectAsInvalid(refusedItem(await refusedBy(manager, area, organizationId, records), error)),
    );
  }
}

/**
 * Skips wrong records.
 * @returns their problems
 */
export async function storeSoundRecords(
  dataSource: DataSource,
  area: RecordStore,
  organizationId: string,
  records: readonly ReceivedRecord[],
): Promise<readonly InvalidItem[]> {
  try {
    await storeRecords(dataSource, area, organizationId, records);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError && error.problem.code === 'invalid')) throw error;
    const { items } = error.problem;
    const wrong = new Set(items.map(({ loc }) => loc[1]));
    const others = records.filter(({ line }) => !wrong.has(line));
    if (others.length === records.length) throw error;
    return [...items, ...(await storeSoundRecords(dataSource, area, organizationId, others))];
  }
}

/**
 * Bisects the records. Accepted halves stay stored in the transaction, so that it also finds a record that only earlier ones
 * make wrong.
 */
async function refusedBy(
  manager: EntityManager,
  area: RecordStore,
  organizationId: string,
  records: readonly ReceivedRecord[],
): Promise<ReceivedRecord> {
  if (records.length === 1) return records[0]!;
  const middle = Math.ceil(records.length / 2);
  const first = records.slice(0, middle);
  await manager.query('SAVEPOINT half');
  try {
    await area.store(manager, organizationId, first);
  } catch (error) {
    if (!isDataFault(error)) throw error;
    await manager.query('ROLLBACK TO SAVEPOINT half');
    return refusedBy(manager, area, organizationId, first);
  }
  return refusedBy(manager, area, organizationId, records.slice(middle));
}

function refusedItem({ line }: ReceivedRecord, error: unknown): InvalidItem {
  return {
    loc: recordLoc(line),
    msg: `PostgreSQL refuses the record: ${String(error)}`,
    type: 'value_error',
  };
}

/**
 * Opens a transaction under the organization's lock in the area: otherwise two upserts of the same keys in another order would
 * deadlock, and projections would read half of each other's changes.
 * @param settings statements sent with BEGIN
 */
export async function withOrganizationLock<Result>(
  dataSource: DataSource,
  area: string,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
  { organizationLockMs, lockMs }: LockTimeouts = PATIENT,
  settings: readonly string[] = [],
): Promise<Result> {
  const opening = [
    'SET LOCAL statement_timeout = 0',
    `SET LOCAL lock_timeout = ${Math.ceil(organizationLockMs)}`,
    `SELECT ${organizationLock(area, escapeLiteral(organizationId))}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    ...settings,
  ];
  return inTransaction(dataSource, organizationId, opening, work);
}

/**
 * The lock is held to the end of the transaction.
 * @param organization SQL
 */
export function organizationLock(area: string, organization: string): string {
  return `pg_advisory_xact_lock(${ADVISORY_LOCKS.organization}, hashtext('${area}:' || ${organization}))`;
}
