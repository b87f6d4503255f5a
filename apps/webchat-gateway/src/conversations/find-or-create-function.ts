import { CLOCK, nextChange } from './conversation-change';
import { queueDelivery } from './queue-delivery';

/**
 * SQL of a function, for a migration: the user's conversation, a new one if there was none, with its change if it changes, and what else it
 * is found by. Plain statements, each of one row: on Citus the worker that has the organization runs them all, and the service waits for one
 * answer.
 */
export const FIND_OR_CREATE_FUNCTION = `
  CREATE FUNCTION webchat.find_or_create_conversation(
    organization_id text, user_id text, user_name text, user_email text, user_phone text, identifiers text[], delivers boolean
  ) RETURNS uuid LANGUAGE plpgsql AS $function$
  #variable_conflict use_column
  DECLARE
    clock timestamptz := ${CLOCK};
    stored_id uuid;
    last bigint;
    changed_at timestamptz;
    one_identifier text;
  BEGIN
    INSERT INTO webchat.conversation (organization_id, user_id, user_name, user_email, user_phone, updated_at, is_delivered)
    VALUES ($1, $2, $3, $4, $5, clock, $7)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET user_name = coalesce(excluded.user_name, conversation.user_name),
          user_email = coalesce(excluded.user_email, conversation.user_email),
          user_phone = coalesce(excluded.user_phone, conversation.user_phone),
          is_delivered = conversation.is_delivered OR excluded.is_delivered,
          updated_at = CASE
            WHEN excluded.user_name <> coalesce(conversation.user_name, '')
              OR excluded.user_email <> coalesce(conversation.user_email, '')
              OR excluded.user_phone <> coalesce(conversation.user_phone, '')
            THEN ${nextChange('excluded.updated_at')} ELSE conversation.updated_at END
    RETURNING id, updated_at, last_event INTO stored_id, changed_at, last;
    -- Area B knows it as it was before.
    IF $7 AND changed_at >= clock THEN
      ${queueDelivery('(SELECT $1 AS organization_id) AS changed', 'stored_id', 'last')};
    END IF;
    FOREACH one_identifier IN ARRAY $6 LOOP
      INSERT INTO webchat.conversation_identifier (organization_id, conversation_id, identifier)
      VALUES ($1, stored_id, one_identifier)
      ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN stored_id;
  END $function$`;
