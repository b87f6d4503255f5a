import { expiryOf } from '@cxp/records';
import { blocksReadBy } from '@cxp/testing';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { contactCenterEraser } from './contact-center-eraser';
import { ExpiredConversations } from './retention';

const ORGANIZATION = 'acme';
const CONVERSATIONS = 20_000;

/** Blocks that a few lookups read; a table of so many conversations has a thousand. */
const FEW_BLOCKS = 150;

let database: ContactCenterDatabase;

beforeAll(async () => {
  database = await createContactCenterDatabase();
  await database.dataSource.query(
    `INSERT INTO contact_center.record (organization_id, type, id, conversation_id, created_at, at, data, person_keys)
     SELECT organization_id, 'conversation', 'c-' || n, 'c-' || n, now() - n * interval '1 minute', now(), '{}',
       ARRAY['ucustomer-' || n, 'p+8490' || n, 'ecustomer.' || n || '@example.com']
     FROM unnest(ARRAY[$1, 'other']) AS organization (organization_id), generate_series(1, $2::integer) AS n`,
    [ORGANIZATION, CONVERSATIONS],
  );
  // VACUUM moves what was inserted into the tree of the index.
  await database.dataSource.query('VACUUM ANALYZE contact_center.record');
});
afterAll(() => database.drop());

describe('an erasure', () => {
  const subject = { userIds: ['customer-7'], phones: ['+84908'], emails: ['customer.9@example.com'] };

  it('finds conversations by all identifiers in a few steps, however many there are', async () => {
    const { dataSource } = database;
    const blocks = await blocksReadBy(dataSource, async () => {
      const found: object[] = [];
      const counted = contactCenterEraser(dataSource).count(dataSource.manager, ORGANIZATION, subject);
      for await (const some of counted) found.push(some);
      expect(found).toEqual([{ conversations: 3 }]);
    });
    expect(blocks).toBeLessThan(FEW_BLOCKS);
  });

  it('leaves what the person has begun since it was asked for, and what other organizations have', async () => {
    const { dataSource } = database;
    const ofTwo = { userIds: ['customer-7', 'customer-60'], phones: [], emails: [] };
    const requestedAt = new Date(Date.now() - 30 * 60_000);
    const erasure = { organizationId: ORGANIZATION, subject: ofTwo, requestedAt, position: null };
    const eraser = contactCenterEraser(dataSource);
    const step = await eraser.transaction(ORGANIZATION, (manager) => eraser.erase(manager, erasure));
    expect(step).toMatchObject({ keys: [{ type: 'conversation', id: 'c-60' }], found: { conversations: 1 } });
    const [{ count }] = await dataSource.query<[{ count: number }]>(
      `SELECT count(*)::integer FROM contact_center.record WHERE id IN ('c-7', 'c-60')`,
    );
    expect(count).toBe(3);
  });
});

describe('retention', () => {
  it.each([
    // Of each organization `organizationsIn` reads a page of the index, and the rows of what is not vacuumed.
    ['nothing of conversations that were created too late to have expired', 365, undefined, 2 * FEW_BLOCKS],
    // A thousand of them, each a look-up at most.
    ['the first of those that were created long ago', 1, { organizationId: ORGANIZATION, ids: [] }, 1_000],
  ])('reads %s', async (_, days, expected, most) => {
    const { dataSource } = database;
    const expired = new ExpiredConversations(dataSource).find(dataSource.manager, expiryOf(days));
    let first: unknown;
    const blocks = await blocksReadBy(dataSource, async () => {
      first = (await expired[Symbol.asyncIterator]().next()).value;
    });
    expect(first).toEqual(expected);
    expect(blocks).toBeLessThan(most);
  });
});
