import { addRemovalReasons } from '@cxp/change-feed';
import { createComparableFunctions, createErasureTables } from '@cxp/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erasure and retention. */
export class CreateErasure1763800200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${addRemovalReasons('contact_center')}
      ${createErasureTables('contact_center')}
      ${createComparableFunctions('contact_center')}

      -- By which conversations of a person are found. A column can be longer than what an index holds, an identifier can't.
      CREATE INDEX conversation_of_customer ON contact_center.conversation
        (organization_id, left(customer_filum_id, 255)) WHERE customer_filum_id <> '';
      CREATE INDEX conversation_of_phone ON contact_center.conversation
        (organization_id, left(contact_center.comparable_phone(customer_phone), 255)) WHERE customer_phone <> '';
      CREATE INDEX conversation_of_email ON contact_center.conversation
        (organization_id, left(contact_center.comparable_email(customer_email), 255)) WHERE customer_email <> '';

      -- By which expired conversations are found: not by updated_at, so that updates stay within their page.
      CREATE INDEX conversation_age ON contact_center.conversation (organization_id, created_at, id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE contact_center.erasure, contact_center.erased_key, contact_center.erasure_secret;
      DROP INDEX contact_center.conversation_of_customer, contact_center.conversation_of_phone,
        contact_center.conversation_of_email, contact_center.conversation_age;
      DROP FUNCTION contact_center.comparable_phone, contact_center.comparable_email;
      ALTER TABLE contact_center.change_removal DROP COLUMN reason;
    `);
  }
}
