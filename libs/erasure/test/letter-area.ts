import { DataSource, type EntityManager, type MigrationInterface, type QueryRunner } from 'typeorm';
import { distribute, migrate, Statement, textColumn, type DatabaseArea } from '@cxp/storage';
import { createTestDatabase } from '@cxp/testing';
import { comparableEmail } from '@cxp/identifiers';
import { createErasureTables, type Erased, type ErasureArea, type ErasureMode } from '../src';

class CreateLetter1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE letter.letter (organization_id text COLLATE "C", id text COLLATE "C", email text, comparable_email text, PRIMARY KEY (organization_id, id));
      ${createErasureTables('letter')}
    `);
  }

  async down(): Promise<void> {}
}

const LETTERS: DatabaseArea = {
  name: 'letter',
  schema: 'letter',
  migrations: [CreateLetter1700000000000],
};

const OF_SUBJECT = `FROM letter.letter WHERE organization_id = $1 AND comparable_email = ANY ($2::text[])`;
const ID = { id: textColumn('id') };
const FIND = new Statement(ID, (list) => `SELECT ${list} ${OF_SUBJECT} ORDER BY id LIMIT $3`);
const ERASE = {
  delete: new Statement(
    ID,
    (list) => `DELETE FROM letter.letter WHERE organization_id = $1 AND id = ANY ($2) RETURNING ${list}`,
  ),
  anonymize: new Statement(
    ID,
    (list) =>
      `UPDATE letter.letter SET email = NULL, comparable_email = NULL WHERE organization_id = $1 AND id = ANY ($2) RETURNING ${list}`,
  ),
};

/** The smallest area that can erase: letters with an email. */
export class LetterArea implements ErasureArea {
  readonly name = 'survey';
  readonly schema = 'letter';
  readonly kinds = ['letters'];
  readonly keyTypes = { letter: /^\w+$/ };
  readonly rootsPerStep = 2;
  /** Called in each step, before its transaction ends. */
  beforeCommit: (organizationId: string) => unknown = () => undefined;

  constructor(private readonly dataSource: DataSource) {}

  transaction<Result>(_: string, work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.dataSource.transaction(work);
  }

  async find(
    manager: EntityManager,
    organizationId: string,
    { emails }: { emails: readonly string[] },
    limit: number,
  ) {
    const found = await FIND.run(manager, [organizationId, emails, limit]);
    return found.map(({ id }) => ({ type: 'letter', id }));
  }

  async erase(
    manager: EntityManager,
    organizationId: string,
    roots: readonly { type: string; id: string }[],
    mode: ErasureMode,
  ): Promise<Erased> {
    const erased = await ERASE[mode].run(manager, [organizationId, roots.map(({ id }) => id)]);
    await this.beforeCommit(organizationId);
    return { found: { letters: erased.length }, keys: erased.map(({ id }) => ({ type: 'letter', id })) };
  }

  lastChange(): Promise<number> {
    return Promise.resolve(7);
  }
}

export interface LetterDatabase {
  readonly dataSource: DataSource;
  store(organizationId: string, letters: Readonly<Record<string, string>>): Promise<void>;
  /** Emails by id. */
  letters(organizationId: string): Promise<Record<string, string | null>>;
  drop(): Promise<void>;
}

export async function letterDatabase(): Promise<LetterDatabase> {
  const { url, drop } = await createTestDatabase([LETTERS], migrate, distribute);
  const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 4 }).initialize();
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
      const rows = await dataSource.query<{ id: string; email: string | null }[]>(
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
