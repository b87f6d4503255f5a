import { migrate } from '@cxp/storage';
import { withRecordWriter } from '@cxp/record-intake';
import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { surveyDatabase } from '../src/database';
import { surveyRecords } from '../src/records/survey-records';
import { ExportPool } from '../src/response-export/export-pool';
import { SurveySettings } from '../src/settings';

/** A connection to a migrated database of its own; `close` drops it. */
export async function openSurveyDatabase(): Promise<{
  dataSource: DataSource;
  url: string;
  close: () => Promise<void>;
}> {
  const database = await createTestDatabase([surveyDatabase], migrate);
  const dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 20 }).initialize();
  const close = async () => {
    await dataSource.destroy();
    await database.drop();
  };
  return { dataSource, url: database.url, close };
}

export function exportPool(url: string, settings: Partial<SurveySettings> = {}): ExportPool {
  return new ExportPool(Object.assign(new SurveySettings(), { DATABASE_URL: url, ...settings }));
}

/** Stores records as every intake does, all of them sound. */
export async function storeRecords(
  dataSource: DataSource,
  organizationId: string,
  type: string,
  records: readonly object[],
): Promise<void> {
  const problems = await withRecordWriter(dataSource, surveyRecords, organizationId, (writer) =>
    writer.write(records.map((data, index) => ({ line: index + 1, type, data }))),
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}
