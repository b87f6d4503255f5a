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

    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE contact_center.erasure, contact_center.erased_key, contact_center.erasure_secret;
      DROP FUNCTION contact_center.comparable_phone, contact_center.comparable_email;
      ALTER TABLE contact_center.change_removal DROP COLUMN reason;
    `);
  }
}
