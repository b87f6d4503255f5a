import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';
import { comparableEmail } from '@cxp/identifiers';
import {
  inTransaction,
  migrate,
  numberColumn,
  pagesById,
  Statement,
  textColumn,
  type DatabaseArea,
} from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { type Erased, type ErasureArea, erasureEntity, type RecordKey, type Subject } from '../src';

class CreateLetter1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE letter.letter (
        organization_id text COLLATE "C", id text COLLATE "C", email text, comparable_email text, pages integer NOT NULL DEFAULT 1,
        PRIMARY KEY (organization_id, id)
      );
      CREATE TABLE letter.erasure (
        organization_id text COLLATE "C",
        id uuid,
        -- Null once the erasure is done.
        subject json,
        requested_at timestamptz(3) NOT NULL DEFAULT now(),
        erased_at timestamptz(3),
        -- How many records of each kind it has found.
        found json NOT NULL DEFAULT '{}',
        last_change bigint,
        -- Of steps that have not succeeded since the last one that has.
        attempts integer NOT NULL DEFAULT 0,
        next_try_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX erasure_due ON letter.erasure (next_try_at) WHERE erased_at IS NULL;

      -- The keys of what was erased: records that have them don't come back.
      CREATE TABLE letter.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        PRIMARY KEY (organization_id, type, id)
      );

      -- The keys in a certificate, in parts: those of a step, or some of a certificate that is applied again.
      CREATE TABLE letter.erasure_keys (
        organization_id text COLLATE "C",
        erasure_id uuid,
        part integer,
        type text COLLATE "C" NOT NULL,
        ids text[] COLLATE "C" NOT NULL,
        -- It is applied again, and a step has still to erase what has these keys.
        is_left boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, erasure_id, part)
      );
    `);
  }

  async down(): Promise<void> {}
}

const LETTERS: DatabaseArea = {
  name: 'letter',
  schema: 'letter',
  migrations: [CreateLetter1700000000000],
  entities: [erasureEntity('letter')],
};

const OF_SUBJECT = `FROM letter.letter WHERE organization_id = $1 AND comparable_email = ANY ($2::text[])`;
const ID = { id: textColumn('id') };
const FIND = new Statement(ID, (list) => `SELECT ${list} ${OF_SUBJECT} AND id > $3 ORDER BY id LIMIT 2`);

/** A step takes one page from each of two letters; one without pages is gone. */
const TAKE_PAGES = new Statement(
  { id: textColumn('id'), pages: numberColumn('pages') },
  (list) => `UPDATE letter.letter SET pages = pages - 1 WHERE organization_id = $1 AND id IN (
    SELECT id FROM letter.letter WHERE organization_id = $1 AND id = ANY ($2::text[]) ORDER BY id LIMIT 2
  ) RETURNING ${list}`,
);
const DELETE = new Statement(
  {},
  'DELETE FROM letter.letter WHERE organization_id = $1 AND id = ANY ($2::text[]) AND pages <= 0',
);
const EXISTING = new Statement(
  ID,
  (list) => `SELECT ${list} FROM letter.letter WHERE organization_id = $1 AND id = ANY ($2::text[])`,
);

/** The smallest area that can erase: letters with an email. */
export class LetterArea implements ErasureArea {
  readonly name = 'survey';
  readonly schema = 'letter';
  readonly kinds = ['letters'];
  readonly keyTypes = { letter: /^\w+$/ };
  readonly maxKeys = 3;
  /** Called in each step, before its transaction ends. */
  beforeCommit: (organizationId: string) => unknown = () => undefined;

  constructor(private readonly dataSource: DataSource) {}

  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return inTransaction(this.dataSource, organizationId, [], work);
  }

  async *find(manager: EntityManager, organizationId: string, { emails }: Subject) {
    yield [];
    for await (const rows of pagesById('', (after) => FIND.run(manager, [organizationId, emails, after])))
      yield rows.map(({ id }) => ({ type: 'letter', id }));
  }

  count(_manager: EntityManager, _organizationId: string, keys: readonly RecordKey[]) {
    return Promise.resolve({ letters: keys.length });
  }

  async erase(manager: EntityManager, organizationId: string, keys: readonly RecordKey[]): Promise<Erased> {
    const ids = keys.map(({ id }) => id);
    await TAKE_PAGES.run(manager, [organizationId, ids]);
    const letters = await DELETE.count(manager, [organizationId, ids]);
    const left = await EXISTING.run(manager, [organizationId, ids]);
    await this.beforeCommit(organizationId);
    return { found: { letters }, left: left.map(({ id }) => ({ type: 'letter', id })) };
  }

  lastChange(): Promise<number> {
    return Promise.resolve(7);
  }
}

export interface LetterDatabase {
  readonly dataSource: DataSource;
  store(organizationId: string, letters: Readonly<Record<string, string>>, pages?: number): Promise<void>;
  /** Emails by id. */
  letters(organizationId: string): Promise<Record<string, string>>;
  drop(): Promise<void>;
}

export async function letterDatabase(): Promise<LetterDatabase> {
  const { url, drop } = await createTestDatabase([LETTERS], migrate);
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    poolSize: 4,
    entities: [erasureEntity('letter')],
  }).initialize();
  return {
    dataSource,
    async store(organizationId, letters, pages = 1) {
      await dataSource.query(
        'INSERT INTO letter.letter SELECT $1, *, $5 FROM unnest($2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING',
        [
          organizationId,
          Object.keys(letters),
          Object.values(letters),
          Object.values(letters).map(comparableEmail),
          pages,
        ],
      );
    },
    async letters(organizationId) {
      const rows = await dataSource.query<{ id: string; email: string }[]>(
        'SELECT id, email FROM letter.letter WHERE organization_id = $1 ORDER BY id',
        [organizationId],
      );
      return Object.fromEntries(rows.map(({ id, email }) => [id, email]));
    },
    async drop() {
      await dataSource.destroy();
      await drop();
    },
  };
}
