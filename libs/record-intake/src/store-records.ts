import type { DataSource, EntityManager } from 'typeorm';
import type { RecordArea, RecordWriter } from './record-area';

/** The key space of the locks below, so that nobody else's advisory locks meet them. */
const INTAKE_LOCK = 0x696e;

/** How long to wait before an intake fails, in milliseconds; 0: as long as it takes. */
export interface IntakePatience {
  /** For the intakes of the same organization that came before. */
  readonly turnMs: number;
  /** For a lock that anybody else holds. */
  readonly lockMs: number;
}

/**
 * Opens the one transaction that a batch of records is stored in. Intakes of one organization and area take turns: two
 * that upsert the same keys in another order would deadlock, and projections would read half of each other's changes.
 */
export async function withRecordWriter<Result>(
  dataSource: DataSource,
  area: RecordArea,
  organizationId: string,
  store: (writer: RecordWriter) => Promise<Result>,
  patience: IntakePatience = { turnMs: 0, lockMs: 0 },
): Promise<Result> {
  return dataSource.transaction(async (manager: EntityManager) => {
    await manager.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${patience.turnMs}`);
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [
      INTAKE_LOCK,
      `${area.name}:${organizationId}`,
    ]);
    await manager.query(`SET LOCAL lock_timeout = ${patience.lockMs}`);
    const writer = area.openWriter(manager, organizationId);
    const result = await store(writer);
    await writer.finish?.();
    return result;
  });
}
