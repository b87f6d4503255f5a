import { type ReceivedRecord, storeRecords } from '@cxp/records';
import { migrate, openDatabase } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '../src/database';
import { contactCenterRecords } from '../src/records/contact-center-writer';

/** A database of area B for one test file. */
export interface ContactCenterDatabase {
  readonly dataSource: DataSource;
  /** Stores records in one transaction. */
  store(organizationId: string, records: readonly ReceivedRecord[]): Promise<void>;
  drop(): Promise<void>;
}

/** The same for all tests of a file. */
export function useContactCenterDatabase(): ContactCenterDatabase & { newOrganization(): string } {
  let organizations = 0;
  const database = { newOrganization: () => `organization-${++organizations}` };
  const opened = database as ReturnType<typeof useContactCenterDatabase>;
  beforeAll(async () => {
    Object.assign(database, await createContactCenterDatabase());
  });
  afterAll(() => opened.drop());
  return opened;
}

export async function createContactCenterDatabase(): Promise<ContactCenterDatabase> {
  const database = await createTestDatabase([contactCenterDatabase], migrate);
  const dataSource = await openDatabase(database.url, [contactCenterDatabase]);
  return {
    dataSource,
    store: async (organizationId, records) => {
      await storeRecords(dataSource, contactCenterRecords, organizationId, records);
    },
    drop: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
