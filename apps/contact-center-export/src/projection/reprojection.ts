import type { DataSource } from 'typeorm';
import { rebuildBuckets } from '@cxp/pagination';
import { withIntakeTurn } from '@cxp/record-intake';
import { SESSIONS } from '../conversation-sessions/stored-row';
import { contactCenterDatabase } from '../database';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { Projection } from './projection';

/** Conversations of one transaction: the intakes of the organization wait for no more than these. */
const CHUNK_CONVERSATIONS = 500;

export interface ReprojectionResult {
  readonly conversations: number;
  /** Conversations that have other rows than before. */
  readonly changed: number;
}

/**
 * Derives all rows of an organization again from their records, some conversations at a time, under the lock of its intakes. Rows
 * with the same result keep their numbers. At the end the buckets are made anew.
 */
export async function reproject(
  dataSource: DataSource,
  organizationId: string,
  onProgress: (result: ReprojectionResult) => void = () => undefined,
): Promise<ReprojectionResult> {
  let result = { conversations: 0, changed: 0 };
  for (let after = ''; ;) {
    const conversations = new ConversationRecordsReadModel(dataSource.manager);
    const ids = await conversations.idsAfter(organizationId, after, CHUNK_CONVERSATIONS);
    const last = ids.at(-1);
    if (last === undefined) break;
    const changed = await withIntakeTurn(dataSource, contactCenterDatabase.name, organizationId, (manager) =>
      new Projection(manager).renew(organizationId, ids),
    );
    result = { conversations: result.conversations + ids.length, changed: result.changed + changed };
    onProgress(result);
    after = last;
  }
  await withIntakeTurn(dataSource, contactCenterDatabase.name, organizationId, (manager) =>
    rebuildBuckets(manager, SESSIONS, organizationId),
  );
  return result;
}
