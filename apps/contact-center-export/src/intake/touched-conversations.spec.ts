import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { ContactCenterWriter } from './contact-center-writer';

describe('conversations that a transaction touches', () => {
  let database: ContactCenterDatabase;
  beforeAll(async () => {
    database = await createContactCenterDatabase();
  });
  afterAll(() => database.drop());

  it('wait in PostgreSQL when they are more than memory holds, also those of removals', async () => {
    const removals = ['a', 'b', 'c'].map((id, line) => {
      return { line, type: 'conversation', op: 'delete', data: { id } } as const;
    });
    await database.dataSource.transaction(async (manager) => {
      const waiting = () => manager.query('SELECT conversation_id FROM contact_center.touched_conversation');
      const writer = new ContactCenterWriter(manager, 'acme', { maxTouchedInMemory: 2 });
      await writer.remove(removals);
      expect(await waiting()).toHaveLength(3);
      await writer.finish();
      expect(await waiting()).toEqual([]);
    });
  });
});
