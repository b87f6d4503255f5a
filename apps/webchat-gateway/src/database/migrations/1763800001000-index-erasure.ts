import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which a person's conversations, what belongs to a conversation, and what has expired are found. No update of a message touches them. */
const INDEXES = {
  conversation_phone: `conversation (organization_id, webchat.comparable_phone(user_phone)) WHERE user_phone <> ''`,
  conversation_email: `conversation (organization_id, webchat.comparable_email(user_email)) WHERE user_email <> ''`,
  conversation_created: 'conversation (organization_id, created_at, id)',
  activity_conversation: 'activity (organization_id, conversation_id)',
};

export class IndexErasure1763800001000 implements MigrationInterface {
  /** The service that runs meanwhile goes on writing. */
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      // One that was interrupted is there, but not used.
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS webchat.${name}`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON webchat.${columns}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await queryRunner.query(`DROP INDEX webchat.${name}`);
  }
}
