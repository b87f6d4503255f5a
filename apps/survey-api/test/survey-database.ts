import { migrate } from '@cxp/storage';
import { withRecordWriter, type ReceivedRecord } from '@cxp/record-intake';
import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { surveyDatabase } from '../src/database';
import { surveyRecords } from '../src/records/survey-records';

/** A connection to a migrated database of its own; `close` drops it. */
export async function openSurveyDatabase(): Promise<{
  dataSource: DataSource;
  close: () => Promise<void>;
}> {
  const database = await createTestDatabase([surveyDatabase], migrate);
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
  const problems = await withRecordWriter(dataSource, surveyRecords, organizationId, (writer) =>
    writer.write(records.map((data, index) => ({ line: index + 1, type, data }) as ReceivedRecord)),
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}
