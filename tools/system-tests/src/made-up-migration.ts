import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration of a version that is not built yet. */
export function madeUpMigration(name: string, sql: string): new () => MigrationInterface {
  const timestamped = `${name}9999999999999`;
  return {
    [timestamped]: class implements MigrationInterface {
      async up(queryRunner: QueryRunner): Promise<void> {
        await queryRunner.query(sql);
      }

      async down(): Promise<void> {}
    },
  }[timestamped]!;
}
