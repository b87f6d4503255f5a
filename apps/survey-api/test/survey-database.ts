import { migrate } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { surveyDatabase } from '../src/database';

/** A connection to a migrated database of its own; `close` drops it. */
export async function openSurveyDatabase(): Promise<{ dataSource: DataSource; close: () => Promise<void> }> {
  const database = await createTestDatabase([surveyDatabase], migrate);
  const dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 20 }).initialize();
  const close = async () => {
    await dataSource.destroy();
    await database.drop();
  };
  return { dataSource, close };
}
