import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which conversations of a person are found. A column can be longer than what an index holds, an identifier can't. */
const OF_PERSONS = {
  conversation_of_customer: `(organization_id, left(customer_filum_id, 255)) WHERE customer_filum_id <> ''`,
  conversation_of_phone: `(organization_id, left(contact_center.comparable_phone(customer_phone), 255))
    WHERE customer_phone <> ''`,
  conversation_of_email: `(organization_id, left(contact_center.comparable_email(customer_email), 255))
    WHERE customer_email <> ''`,
};

/** By which expired conversations are found: not by updated_at, so that updates stay within their page. */
const OF_AGES = { conversation_age: '(organization_id, created_at, id)' };

const INDEXES = { ...OF_PERSONS, ...OF_AGES };

/** Conversations go on arriving while these are built. */
export class IndexConversations1763800201000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES)) {
      // Of a run that was interrupted.
      await queryRunner.query(`DROP INDEX IF EXISTS contact_center.${name}`);
      await queryRunner.query(
        `CREATE INDEX CONCURRENTLY ${name} ON contact_center.conversation ${definition}`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await queryRunner.query(`DROP INDEX contact_center.${name}`);
  }
}
