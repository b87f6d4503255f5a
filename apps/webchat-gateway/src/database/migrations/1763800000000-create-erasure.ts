import { createComparableFunctions, createErasureTables } from '@cxp/erasure';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FIND_OR_CREATE_FUNCTION } from '../../conversations/find-or-create-function';
import { APPEND_FUNCTION } from '../../messages/append-function';

export class CreateErasure1763800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${createErasureTables('webchat')}
      ${createComparableFunctions('webchat')}

      -- What A1 has matched the user of a conversation by, but for the user id of the conversation: kind and comparable value. Its own
      -- columns say what was sent last with a new session.
      CREATE TABLE webchat.conversation_identifier (
        organization_id text COLLATE "C",
        conversation_id uuid,
        identifier text COLLATE "C",
        PRIMARY KEY (organization_id, conversation_id, identifier)
      );
      CREATE INDEX conversation_identifier_found ON webchat.conversation_identifier (organization_id, identifier);

      -- The conversation was erased: area B is told to remove it, and to keep its key.
      ALTER TABLE webchat.outbox ADD COLUMN is_erased boolean NOT NULL DEFAULT false;

      ${FIND_OR_CREATE_FUNCTION};
      ${APPEND_FUNCTION};
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webchat.outbox DROP COLUMN is_erased;
      DROP TABLE webchat.conversation_identifier, webchat.erasure, webchat.erased_key, webchat.erasure_secret;
      DROP FUNCTION webchat.comparable_phone, webchat.comparable_email, webchat.find_or_create_conversation, webchat.append_message;
    `);
  }
}
