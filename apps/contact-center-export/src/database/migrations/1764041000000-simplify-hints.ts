import { simplifyHintTable } from '@cxp/change-feed';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhook endpoints need neither a place nor a lease any more. */
export class SimplifyHints1764041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(simplifyHintTable('contact_center'));
  }

  async down(): Promise<void> {}
}
