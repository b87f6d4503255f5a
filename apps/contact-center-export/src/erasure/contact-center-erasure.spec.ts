import { expiryOf } from '@cxp/records';
import { blocksReadBy } from '@cxp/testing';
import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { contactCenterErasure } from './contact-center-erasure';
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
  it.each([
    ['user id', { userIds: ['customer-7'], phones: [], emails: [] }, ['c-7']],
    ['phone', { userIds: [], phones: ['+84907'], emails: [] }, ['c-7']],
    [
      'email',
      { userIds: [], phones: [], emails: ['customer.7@example.com', 'customer.8@example.com'] },
      ['c-7', 'c-8'],
    ],
    [
      'all of them',
      { userIds: ['customer-7'], phones: ['+84908'], emails: ['customer.9@example.com'] },
      ['c-7', 'c-8', 'c-9'],
    ],
    ['none that is stored', { userIds: ['nobody'], phones: ['+1'], emails: ['nobody@example.com'] }, []],
  ])('finds conversations by %s in a few steps, however many there are', async (_, subject, expected) => {
    const { manager } = database.dataSource;
    const erasure = contactCenterErasure(database.dataSource);
    const found: { id: string }[] = [];
    const blocks = await blocksReadBy(database.dataSource, async () => {
      for await (const some of erasure.find(manager, ORGANIZATION, subject, new Date())) found.push(...some);
    });
    expect(found.map(({ id }) => id).sort()).toEqual(expected);
    expect(blocks).toBeLessThan(FEW_BLOCKS);
  });

  it('leaves what the person has begun since it was asked for', async () => {
    const { manager } = database.dataSource;
    const subject = { userIds: ['customer-7', 'customer-60'], phones: [], emails: [] };
    const requestedAt = new Date(Date.now() - 30 * 60_000);
    const erasure = contactCenterErasure(database.dataSource);
    const found: string[] = [];
    for await (const some of erasure.find(manager, ORGANIZATION, subject, requestedAt))
      found.push(...some.map(({ id }) => id));
    expect(found).toEqual(['c-60']);
  });
});

describe('retention', () => {
  it.each([
    ['nothing of conversations that were created too late to have expired', 365, undefined],
    ['the first of those that were created long ago', 1, { organizationId: ORGANIZATION, ids: [] }],
  ])('reads %s', async (_, days, expected) => {
    const { dataSource } = database;
    const expired = new ExpiredConversations(dataSource).find(dataSource.manager, expiryOf(days));
    let first: unknown;
    const blocks = await blocksReadBy(dataSource, async () => {
      first = (await expired[Symbol.asyncIterator]().next()).value;
    });
    expect(first).toEqual(expected);
    expect(blocks).toBeLessThan(FEW_BLOCKS);
  });
});
