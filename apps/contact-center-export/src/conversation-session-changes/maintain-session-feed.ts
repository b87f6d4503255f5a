import type { DataSource } from 'typeorm';
import { RecordRepository } from '../records/record.repository';

/** Area B's own part of the job that runs every minute. */
export async function maintainSessionFeed(dataSource: DataSource, prunedBefore: Date): Promise<void> {
  await new RecordRepository(dataSource.manager).prune(prunedBefore);
}
