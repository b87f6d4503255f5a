import { escapeLiteral } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { PlatformRecord, RemovalOf, UpsertOf } from '@cxp/platform-records';
import { inTransaction } from '@cxp/storage';
import type { OnLine, ReceivedRecord, RecordArea, RecordWriter } from './record-area';

/** The key space of the locks below, so that nobody else's advisory locks meet them. */
const INTAKE_LOCK = 0x696e;

/** How long to wait before an intake fails, in milliseconds; 0: as long as it takes. */
export interface LockTimeouts {
  /** For the intakes of the same organization that came before. */
  readonly turnMs: number;
  /** For a lock that anybody else holds. */
  readonly lockMs: number;
}

/** An intake that waits longer is answered 503, and a step of an erasure is tried again: those before it are large, or something is stuck. */
export const INTAKE_TIMEOUTS: LockTimeouts = { turnMs: 15_000, lockMs: 1_500 };

const PATIENT: LockTimeouts = { turnMs: 0, lockMs: 0 };

/** Opens the one transaction that a batch of records is stored in, once it is the organization's turn. */
export async function withRecordWriter<Result>(
  dataSource: DataSource,
  area: RecordArea,
  organizationId: string,
  store: (writer: OrderedRecordWriter) => Promise<Result>,
  timeouts = PATIENT,
): Promise<Result> {
  return withIntakeTurn(
    dataSource,
    area.name,
    organizationId,
    async (manager) => {
      const writer = new OrderedRecordWriter(area.openWriter(manager, organizationId));
      const result = await store(writer);
      await writer.finish();
      return result;
    },
    timeouts,
  );
}

/**
 * Opens a transaction that changes what records are stored in. Those of one organization and area take turns: two that
 * upsert the same keys in another order would deadlock, and projections would read half of each other's changes.
 * @param settings statements that are sent along with its start
 */
export async function withIntakeTurn<Result>(
  dataSource: DataSource,
  area: string,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
  { turnMs, lockMs }: LockTimeouts = PATIENT,
  settings: readonly string[] = [],
): Promise<Result> {
  const opening = [
    'SET LOCAL statement_timeout = 0',
    `SET LOCAL lock_timeout = ${turnMs}`,
    `SELECT ${intakeTurn(area, escapeLiteral(organizationId))}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    ...settings,
  ];
  return inTransaction(dataSource, opening, work);
}

/**
 * Opens such a transaction if it is the organization's turn, without waiting for it.
 * @param timeouts how long a statement may wait for a lock that anybody else holds, and how long it may take
 * @returns undefined if it is somebody else's turn
 */
export async function tryIntakeTurn<Result>(
  dataSource: DataSource,
  area: string,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
  { lockMs, statementMs }: { readonly lockMs: number; readonly statementMs: number },
): Promise<Result | undefined> {
  const opening = [
    `SET LOCAL statement_timeout = ${statementMs}`,
    `SET LOCAL lock_timeout = ${lockMs}`,
    `SELECT pg_try_advisory_xact_lock(${turnOf(area, escapeLiteral(organizationId))}) AS free`,
  ];
  return inTransaction(dataSource, opening, async (manager, turn: readonly { free: boolean }[]) =>
    turn[0]!.free ? work(manager) : undefined,
  );
}

/** SQL: waits for an organization's turn in an area, which ends with the transaction. @param organization SQL */
export function intakeTurn(area: string, organization: string): string {
  return `pg_advisory_xact_lock(${turnOf(area, organization)})`;
}

/** SQL: the two keys of the lock that is an organization's turn in an area. */
function turnOf(area: string, organization: string): string {
  return `${INTAKE_LOCK}, hashtext('${area}:' || ${organization})`;
}

/** Hands a writer records in the order of their arrival: upserts and removals in turn. */
export class OrderedRecordWriter {
  constructor(private readonly writer: RecordWriter) {}

  /** @returns what is wrong with records that only the stored data can judge; those are left out */
  async write(records: readonly ReceivedRecord[]): Promise<readonly InvalidItem[]> {
    const wrong: InvalidItem[] = [];
    for (let start = 0, end = 0; start < records.length; start = end) {
      const removes = records[start]!.op === 'delete';
      while (end < records.length && (records[end]!.op === 'delete') === removes) end++;
      const run = records.slice(start, end);
      if (removes) await this.remove(run as OnLine<RemovalOf<PlatformRecord>>[]);
      else
        for (const item of await this.writer.write(run as OnLine<UpsertOf<PlatformRecord>>[]))
          wrong.push(item);
    }
    return wrong;
  }

  async finish(): Promise<void> {
    await this.writer.finish?.();
  }

  private async remove(run: readonly OnLine<RemovalOf<PlatformRecord>>[]): Promise<void> {
    if (!this.writer.remove) throw new Error(`records of type ${run[0]!.type} cannot be removed`);
    await this.writer.remove(run);
  }
}
