import { addRemovalReasons } from '@cxp/change-feed';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddRemovalReasons1763800300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(addRemovalReasons('survey'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE survey.change_removal DROP COLUMN reason');
  }
}
