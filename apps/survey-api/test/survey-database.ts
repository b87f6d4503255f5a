import { migrate, openDatabase } from '@cxp/storage';
import { type ReceivedRecord, storeRecords as intake } from '@cxp/records';
import { createTestDatabase } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { surveyDatabase } from '../src/database';
import { surveyRecordStore } from '../src/records/survey-records';
import type { StoredResponse } from '../src/responses/response-fields';
import { ResponseReadModel, type ResponseWindow } from '../src/responses/response.read-model';

/** The records of the area, none of which expires. */
export const surveyRecords = surveyRecordStore(undefined);

/** A connection to a migrated database of its own; `close` drops it. */
export async function openSurveyDatabase(): Promise<{
  dataSource: DataSource;
  close: () => Promise<void>;
}> {
  const database = await createTestDatabase([surveyDatabase], migrate);
  const dataSource = await openDatabase(database.url, [surveyDatabase], { poolSize: 20 });
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

/** The buckets of an organization that do not say what its responses are. */
export function wrongBuckets(dataSource: DataSource, organizationId: string): Promise<object[]> {
  return dataSource.query(
    `SELECT * FROM (
       SELECT list, starts_at, rows, digest FROM survey.bucket WHERE organization_id = $1
     ) AS bucket FULL JOIN (
       SELECT campaign_id::text AS list, date_bin('15 minutes', earliest_at, 'epoch') AS starts_at,
         count(*) AS responses, bit_xor(digest) AS digest_of_responses
       FROM survey.response WHERE organization_id = $1 GROUP BY 1, 2
     ) AS actual USING (list, starts_at)
     WHERE rows IS DISTINCT FROM responses OR digest IS DISTINCT FROM digest_of_responses`,
    [organizationId],
  );
}

/** A page of C2: how many responses the window holds, and those of the page. */
export async function pageOf(
  { manager }: DataSource,
  organizationId: string,
  window: ResponseWindow,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ total: number; items: StoredResponse[] }> {
  const responses = new ResponseReadModel(manager);
  const { total, identifiers } = await responses.select(organizationId, window, range);
  return { total, items: await responses.read(organizationId, window.campaignId, identifiers) };
}
