import { DataSource } from 'typeorm';
import { migrate } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { accessDatabase, OrganizationRepository } from '../src';

/** The access schema with an organization `acme`. */
export async function openAccessDatabase(): Promise<{ dataSource: DataSource; close: () => Promise<void> }> {
  const database = await createTestDatabase([accessDatabase], migrate);
  const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  await new OrganizationRepository(dataSource.manager).create({ id: 'acme', name: 'Acme' });
  return {
    dataSource,
    close: async () => {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
