import { distribute, migrate } from '@cxp/storage';
import { storeRecords as intake, type ReceivedRecord } from '@cxp/record-intake';
import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { surveyDatabase } from '../src/database';
import { surveyRecords } from '../src/records/survey-records';

/** A connection to a migrated database of its own; `close` drops it. */
export async function openSurveyDatabase(): Promise<{
  dataSource: DataSource;
  close: () => Promise<void>;
}> {
  const database = await createTestDatabase([surveyDatabase], migrate, distribute);
  const dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 20 }).initialize();
  const close = async () => {
    await dataSource.destroy();
    await database.drop();
  };
  return { dataSource, close };
}

/** Stores records as every intake does, all of them sound. */
export async function storeRecords(
  dataSource: DataSource,
  organizationId: string,
  type: string,
  records: readonly object[],
): Promise<void> {
  await intake(
    dataSource,
    surveyRecords,
    organizationId,
    records.map((data, index) => ({ line: index + 1, type, data }) as ReceivedRecord),
  );
}

/** The blocks of an organization that do not say what their responses are. Of campaigns that the feed does not have, changes are not compared. */
export function wrongBlocks(dataSource: DataSource, organizationId: string): Promise<object[]> {
  return dataSource.query(
    `SELECT block.*, actual.*
     FROM (
       SELECT *, lead(starts_at) OVER (ordered) AS next_at, lead(starts_with) OVER (ordered) AS next_with
       FROM survey.response_block WHERE organization_id = $1
       WINDOW ordered AS (PARTITION BY campaign_id ORDER BY starts_at, starts_with)
     ) AS block
     JOIN survey.campaign ON campaign.organization_id = $1 AND campaign.id = block.campaign_id
     CROSS JOIN LATERAL (
       SELECT count(*) AS rows, coalesce(bit_xor(digest), 0) AS rows_digest, coalesce(max(change), 0) AS rows_change
       FROM survey.response
       WHERE organization_id = $1 AND campaign_id = block.campaign_id AND (earliest_at, identifier) >= (starts_at, starts_with)
         AND (next_at IS NULL OR (earliest_at, identifier) < (next_at, next_with))
     ) AS actual
     WHERE responses <> rows OR digest <> rows_digest
       OR (last_change IS DISTINCT FROM rows_change AND campaign.status NOT IN ('awaited', 'deleted'))`,
    [organizationId],
  );
}
