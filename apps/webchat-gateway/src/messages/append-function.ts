import { CLOCK, nextChange, STATUS } from '../conversations/conversation-change';
import { queueDelivery } from '../conversations/queue-delivery';
import { eventValues } from '../conversations/stored-event';

/**
 * SQL of a function, for a migration: stores one message with its numbers, its event, its conversation's change, and queues its delivery.
 * Plain statements, each of one row: on Citus the worker that has the organization runs them all, and the service waits for one answer.
 */
export const APPEND_FUNCTION = `
  CREATE FUNCTION webchat.append_message(
    organization_id text, conversation_id uuid, id text, client_id text, sender_type text, sender_name text, text text,
    -- Or waits for the conversation if its row is locked.
    skips_locked boolean, delivers boolean
  ) RETURNS TABLE (sequence bigint, event bigint, sent_at timestamptz, status text) LANGUAGE plpgsql AS $function$
  #variable_conflict use_column
  DECLARE
    clock timestamptz := ${CLOCK};
  BEGIN
    IF $8 THEN
      PERFORM 1 FROM webchat.conversation WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE SKIP LOCKED;
      IF NOT FOUND THEN RETURN; END IF;
    END IF;
    UPDATE webchat.conversation
    SET last_sequence = last_sequence + 1,
        last_event = last_event + 1,
        updated_at = ${nextChange('clock')},
        is_delivered = is_delivered OR $9,
        closed_at = CASE WHEN $5 = 'customer' THEN NULL ELSE closed_at END
    WHERE organization_id = $1 AND id = $2
    RETURNING last_sequence, last_event, updated_at, ${STATUS} INTO sequence, event, sent_at, status;
    IF NOT FOUND THEN RETURN; END IF;
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    VALUES ($1, $2, sequence, $3, $4, $5, $6, $7, sent_at);
    INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
    VALUES ($1, $2, event, sequence, ${eventValues('message', { status: 'status' })});
    IF $9 THEN ${queueDelivery('(SELECT $1 AS organization_id) AS stored', '$2', 'event - 1')}; END IF;
    RETURN NEXT;
  END $function$`;
