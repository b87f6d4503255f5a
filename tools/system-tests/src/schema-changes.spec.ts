import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { narrowings, readSchema } from './schema-changes';

describe('what a release fails at that knows the schema before a migration', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });
  beforeEach(() =>
    dataSource.query('CREATE SCHEMA fruit; CREATE TABLE fruit.pear (id int PRIMARY KEY, note text)'),
  );
  afterEach(() => dataSource.query('DROP SCHEMA fruit CASCADE'));

  it.each([
    ['ALTER TABLE fruit.pear ADD colour text', []],
    ["ALTER TABLE fruit.pear ADD colour text NOT NULL DEFAULT 'green'", []],
    ['ALTER TABLE fruit.pear ADD number bigint GENERATED ALWAYS AS IDENTITY', []],
    ['CREATE TABLE fruit.plum (id int PRIMARY KEY, note text NOT NULL)', []],
    ['CREATE INDEX ON fruit.pear (note)', []],
    ['DROP TABLE fruit.pear', ['fruit.pear.id is gone', 'fruit.pear.note is gone']],
    ['ALTER TABLE fruit.pear DROP note', ['fruit.pear.note is gone']],
    ['ALTER TABLE fruit.pear RENAME note TO remark', ['fruit.pear.note is gone']],
    [
      'ALTER TABLE fruit.pear ALTER note TYPE varchar(9)',
      ['fruit.pear.note was text and is character varying(9)'],
    ],
    ['ALTER TABLE fruit.pear ALTER note SET NOT NULL', ['fruit.pear.note has to be given now']],
    ['ALTER TABLE fruit.pear ADD colour text NOT NULL', ['fruit.pear.colour has to be given now']],
    ['ALTER TABLE fruit.pear ADD CHECK (id > 0)', ['fruit.pear has a new rule: CHECK ((id > 0))']],
    [
      'CREATE UNIQUE INDEX only_note ON fruit.pear (note)',
      ['fruit.pear has a new rule: CREATE UNIQUE INDEX only_note ON fruit.pear USING btree (note)'],
    ],
  ])('%s', async (migration, expected) => {
    const before = await readSchema(database.url);
    await dataSource.query(migration);
    expect(narrowings(before, await readSchema(database.url)).sort()).toEqual(expected);
  });
});
