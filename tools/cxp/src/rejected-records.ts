import type { DataSource } from 'typeorm';
import { StreamRecords, UnstoredRecords, type RejectedRecord, type StreamedArea } from '@cxp/record-intake';

/** Records that a list shows. */
const MAX_LISTED = 1_000;

/** Records that are stored together at most. */
const BATCH_RECORDS = 500;

interface ListedRecord {
  readonly id: string;
  readonly organization: string;
  readonly type: string;
  readonly key: string;
  readonly reason: string;
  readonly rejectedAt: string;
}

/** @param only the organization; all if it is left out */
export async function listRejected(
  dataSource: DataSource,
  area: StreamedArea,
  only: string | undefined,
): Promise<{ total: number; rejected: ListedRecord[] }> {
  const records = new StreamRecords(dataSource, area);
  const unstored = new UnstoredRecords(dataSource.manager, area.schema);
  const counts = await countsOf(unstored, only);
  const rejected: ListedRecord[] = [];
  for (const { organizationId: organization } of counts) {
    for await (const batch of batchesOf(unstored, organization)) {
      for (const { id, record, reason, rejectedAt } of batch.slice(0, MAX_LISTED - rejected.length)) {
        const { type, key } = records.describe(record);
        rejected.push({ id, organization, type, key, reason, rejectedAt: rejectedAt.toISOString() });
      }
      if (rejected.length === MAX_LISTED) break;
    }
  }
  return { total: counts.reduce((sum, { count }) => sum + count, 0), rejected };
}

/**
 * Stores rejected records as if they came now; those that are still at fault are kept with their new reason.
 * @returns of organizations whose records can't be stored now, the reason
 */
export async function retryRejected(
  dataSource: DataSource,
  area: StreamedArea,
  only: string | undefined,
): Promise<{ stored: number; rejected: number; failures: { organization: string; reason: string }[] }> {
  const records = new StreamRecords(dataSource, area);
  const unstored = new UnstoredRecords(dataSource.manager, area.schema);
  const result = { stored: 0, rejected: 0, failures: [] as { organization: string; reason: string }[] };
  for (const { organizationId } of await countsOf(unstored, only)) {
    for await (const batch of batchesOf(unstored, organizationId)) {
      const progress = await records.store(organizationId, batch, async (manager, { stored, refused }) => {
        const kept = new UnstoredRecords(manager, area.schema);
        await kept.removeRejected(organizationId, stored);
        await kept.reject(organizationId, refused);
      });
      result.stored += progress.stored;
      result.rejected += progress.refused;
      if (progress.obstacle) {
        result.failures.push({ organization: organizationId, reason: progress.obstacle.reason });
        break;
      }
    }
  }
  return result;
}

async function countsOf(
  unstored: UnstoredRecords,
  only: string | undefined,
): Promise<{ organizationId: string; count: number }[]> {
  const counts = await unstored.countRejected(null);
  return only === undefined ? counts : counts.filter(({ organizationId }) => organizationId === only);
}

/** What an organization has rejected, in the order of arrival. */
async function* batchesOf(
  unstored: UnstoredRecords,
  organizationId: string,
): AsyncGenerator<RejectedRecord[]> {
  let after: string | undefined;
  for (;;) {
    const batch = await unstored.firstRejected(organizationId, BATCH_RECORDS, after);
    if (batch.length === 0) return;
    after = batch.at(-1)!.id;
    yield batch;
  }
}
