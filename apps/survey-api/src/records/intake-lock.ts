import type { EntityManager } from 'typeorm';

/**
 * Lets one intake of an organization write at a time, until its transaction ends. Two that upsert the same records in
 * different orders would deadlock, and block counts rely on seeing the rows that they replace.
 */
export async function lockIntake(manager: EntityManager, organizationId: string): Promise<void> {
  await manager.query(`SELECT pg_advisory_xact_lock(hashtextextended('survey.intake:' || $1, 0))`, [
    organizationId,
  ]);
}
