import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = [
  {
    name: 'conversation_session_changes',
    definition:
      'UNIQUE INDEX CONCURRENTLY % ON contact_center.conversation_session (organization_id, change)',
  },
  {
    name: 'conversation_session_unnumbered',
    definition:
      'INDEX CONCURRENTLY % ON contact_center.conversation_session (organization_id) WHERE change IS NULL',
  },
];

/** Outside a transaction, so that the table can be written while its indexes are built. */
export class IndexSessionChanges1763900200000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('SET lock_timeout = 0');
    for (const { name, definition } of INDEXES) {
      // An index that an interrupted build left behind is not usable.
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS contact_center.${name}`);
      await queryRunner.query(`CREATE ${definition.replace('%', name)}`);
    }
    await queryRunner.query('RESET lock_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of INDEXES) await queryRunner.query(`DROP INDEX contact_center.${name}`);
  }
}
