import { unstoredRecordTables } from '@cxp/record-intake';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateUnstoredRecords1763900300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(unstoredRecordTables('contact_center'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE contact_center.rejected_record, contact_center.waiting_record');
  }
}
