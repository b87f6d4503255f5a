import { escapeLiteral } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { ProblemError, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { inTransaction, isDataFault } from '@cxp/storage';
import { recordLoc, type ReceivedRecord, type RecordArea } from './record-area';

/** The key space of the locks below, apart from all other advisory locks. */
const ORGANIZATION_LOCK = 0x696e;

/** How long to wait for locks, in milliseconds; 0: as long as it takes. */
export interface LockTimeouts {
  /** For the lock of the organization: its transactions before this one. */
  readonly organizationLockMs: number;
  /** For a lock of another transaction. */
  readonly lockMs: number;
}

/** An intake that waits longer is answered 503, and a step of an erasure is tried again: those before it are large, or something is stuck. */
export const INTAKE_TIMEOUTS: LockTimeouts = { organizationLockMs: 15_000, lockMs: 1_500 };

const PATIENT: LockTimeouts = { organizationLockMs: 0, lockMs: 0 };

/**
 * Stores records in one transaction, under the lock of their organization.
 * @param begin is called when the lock is held; if it throws, nothing is stored
 * @throws ProblemError 422 with what is wrong with records; nothing is stored
 */
export async function storeRecords(
  dataSource: DataSource,
  area: RecordArea,
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

/** Stores records in transactions but those that are wrong. @returns what is wrong with them */
export async function storeSoundRecords(
  dataSource: DataSource,
  area: RecordArea,
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
 * The record that PostgreSQL refuses. Halves show it: one that is not refused stays stored in the transaction, so that a record is also found
 * that only those before it make wrong.
 */
async function refusedBy(
  manager: EntityManager,
  area: RecordArea,
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
 * Opens a transaction that changes what records are stored in. It holds the lock of its organization and area: two that
 * upsert the same keys in another order would deadlock, and projections would read half of each other's changes.
 * @param settings statements that are sent along with its start
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

/** SQL: waits for an organization's lock in an area, which is held to the end of the transaction. @param organization SQL */
export function organizationLock(area: string, organization: string): string {
  return `pg_advisory_xact_lock(${organizationLockKeys(area, organization)})`;
}

/** SQL: the two keys of an organization's lock in an area. */
function organizationLockKeys(area: string, organization: string): string {
  return `${ORGANIZATION_LOCK}, hashtext('${area}:' || ${organization})`;
}
