import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';
import { comparableEmail } from '@cxp/identifiers';
import { inTransaction, migrate, pagesById, Statement, textColumn, type DatabaseSchema } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import {
  type Eraser,
  type ErasureStep,
  type Found,
  erasureEntity,
  type RunningErasure,
  type Subject,
} from '../src';

class CreateLetter1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE letter.letter (
        organization_id text COLLATE "C", id text COLLATE "C", email text, comparable_email text,
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
        -- Where the next step begins.
        position text,
        last_change bigint,
        -- Of steps that have not succeeded since the last one that has.
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX erasure_due ON letter.erasure (next_attempt_at) WHERE erased_at IS NULL;

      -- The keys of what was erased: records that have them don't come back.
      CREATE TABLE letter.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        PRIMARY KEY (organization_id, type, id)
      );
    `);
  }

  async down(): Promise<void> {}
}

const LETTERS: DatabaseSchema = {
  name: 'letter',
  schema: 'letter',
  migrations: [CreateLetter1700000000000],
  entities: [erasureEntity('letter')],
};

const FIND = new Statement(
  { organizationId: 'text', emails: 'text[]', after: 'text' },
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM letter.letter
    WHERE organization_id = $organizationId AND comparable_email = ANY ($emails) AND id > $after ORDER BY id LIMIT 2`,
);
const DELETE = new Statement(
  { organizationId: 'text', ids: 'text[]' },
  {},
  'DELETE FROM letter.letter WHERE organization_id = $organizationId AND id = ANY ($ids)',
);

/** Of the smallest area: letters with an email. */
export class LetterEraser implements Eraser {
  readonly name = 'survey';
  readonly schema = 'letter';
  readonly kinds = ['letters'];
  /** Called in each step, before its transaction ends. */
  beforeCommit: (organizationId: string) => unknown = () => undefined;
  /** Where steps have begun. */
  readonly positions: (string | null)[] = [];

  constructor(private readonly dataSource: DataSource) {}

  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return inTransaction(this.dataSource, organizationId, [], work);
  }

  async *count(manager: EntityManager, organizationId: string, { emails }: Subject): AsyncGenerator<Found> {
    yield {};
    for await (const rows of pagesById('', (after) => FIND.run(manager, { organizationId, emails, after })))
      yield { letters: rows.length };
  }

  async erase(
    manager: EntityManager,
    { organizationId, subject, position }: RunningErasure,
  ): Promise<ErasureStep> {
    this.positions.push(position);
    const found = await FIND.run(manager, { organizationId, emails: subject.emails, after: position ?? '' });
    const ids = found.map(({ id }) => id);
    const letters = await DELETE.count(manager, { organizationId, ids });
    await this.beforeCommit(organizationId);
    return { found: { letters }, keys: ids.map((id) => ({ type: 'letter', id })), next: ids.at(-1) ?? null };
  }

  lastChange(): Promise<number> {
    return Promise.resolve(7);
  }
}

export interface LetterDatabase {
  readonly dataSource: DataSource;
  store(organizationId: string, letters: Readonly<Record<string, string>>): Promise<void>;
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
    async store(organizationId, letters) {
      await dataSource.query(
        'INSERT INTO letter.letter SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING',
        [
          organizationId,
          Object.keys(letters),
          Object.values(letters),
          Object.values(letters).map(comparableEmail),
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
