import type { DataSource } from 'typeorm';
import { RecordRemovalRepository } from '../records/record-removal.repository';

/** Area B's own part of the job that runs every minute. */
export async function maintainSessionFeed(dataSource: DataSource, prunedBefore: Date): Promise<void> {
  await new RecordRemovalRepository(dataSource.manager).prune(prunedBefore);
}
