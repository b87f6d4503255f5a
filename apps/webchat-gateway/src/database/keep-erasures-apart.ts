import { keepErasuresApart } from '@cxp/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeepErasuresApart1795900000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(keepErasuresApart('webchat', ['conversation']));
  }

  async down(): Promise<void> {}
}
