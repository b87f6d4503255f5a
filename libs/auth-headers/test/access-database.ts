import type { DataSource } from 'typeorm';
import { migrate, openDatabase } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { accessDatabase, OrganizationRepository } from '../src';

/** The access schema with an organization `acme`. */
export async function openAccessDatabase(): Promise<{ dataSource: DataSource; close: () => Promise<void> }> {
  const database = await createTestDatabase([accessDatabase], migrate);
  const dataSource = await openDatabase(database.url, [accessDatabase]);
  await new OrganizationRepository(dataSource.manager).create({ id: 'acme', name: 'Acme' });
  return {
    dataSource,
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
