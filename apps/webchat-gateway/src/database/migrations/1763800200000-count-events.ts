import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATUS = `CASE WHEN NEW.closed_at IS NULL THEN 'open' ELSE 'closed' END`;

/**
 * Conversations count their events. `last_event` is null in those whose events are not numbered yet: that is the next
 * migration. The previous release does not number what it writes, so triggers do. They do nothing for this release, which moves
 * `last_event`, and sets `activity.event`, itself.
 */
export class CountEvents1763800200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webchat.conversation ADD COLUMN last_event bigint, ADD COLUMN agent jsonb;
      ALTER TABLE webchat.conversation ALTER COLUMN last_event SET DEFAULT 0;
      ALTER TABLE webchat.activity ADD COLUMN event bigint;

      CREATE FUNCTION webchat.number_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.last_sequence > OLD.last_sequence THEN
          NEW.last_event := NEW.last_event + 1;
          INSERT INTO webchat.event
          VALUES (NEW.organization_id, NEW.id, NEW.last_event, 'message', NEW.last_sequence,
            jsonb_build_object('status', ${STATUS}));
        END IF;
        IF NEW.customer_read_sequence > OLD.customer_read_sequence THEN
          NEW.last_event := NEW.last_event + 1;
          INSERT INTO webchat.event
          VALUES (NEW.organization_id, NEW.id, NEW.last_event, 'read', NULL,
            jsonb_build_object('reader', 'customer', 'sequence', NEW.customer_read_sequence));
        END IF;
        IF NEW.agent_read_sequence > OLD.agent_read_sequence THEN
          NEW.last_event := NEW.last_event + 1;
          INSERT INTO webchat.event
          VALUES (NEW.organization_id, NEW.id, NEW.last_event, 'read', NULL,
            jsonb_build_object('reader', 'agent', 'sequence', NEW.agent_read_sequence));
        END IF;
        RETURN NEW;
      END $$;

      CREATE TRIGGER number_change BEFORE UPDATE ON webchat.conversation FOR EACH ROW
      WHEN (NEW.last_event = OLD.last_event AND (
        NEW.last_sequence > OLD.last_sequence
        OR NEW.customer_read_sequence > OLD.customer_read_sequence
        OR NEW.agent_read_sequence > OLD.agent_read_sequence))
      EXECUTE FUNCTION webchat.number_change();

      CREATE FUNCTION webchat.number_activity() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        changed webchat.conversation;
        is_request boolean := NEW.action = 'route_to_rating';
      BEGIN
        UPDATE webchat.conversation
        SET last_event = last_event + CASE WHEN is_request THEN 2 ELSE 1 END,
            agent = CASE
              WHEN NEW.action IN ('assign', 'route_back_to_human', 'human_take_over') THEN
                CASE WHEN jsonb_typeof(NEW.agent) = 'object' AND NEW.agent -> 'isServiceAccount' IS DISTINCT FROM 'true'
                  THEN jsonb_build_object('name', NEW.agent ->> 'name') END
              WHEN NEW.action IN ('route_to_ai', 'route_back_to_ai', 'route_to_human', 'route_to_rating',
                'end_conversation', 'timed_out') THEN NULL
              ELSE agent END
        WHERE organization_id = NEW.organization_id AND id = NEW.conversation_id AND last_event IS NOT NULL
        RETURNING * INTO changed;
        IF NOT FOUND THEN
          RETURN NEW;
        END IF;
        NEW.event := changed.last_event - CASE WHEN is_request THEN 1 ELSE 0 END;
        INSERT INTO webchat.event
        VALUES (NEW.organization_id, NEW.conversation_id, NEW.event, 'activity', NULL, jsonb_build_object(
          'id', NEW.id,
          'action', NEW.action,
          'occurredAt', to_char(NEW.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'agentName', NEW.agent ->> 'name',
          'status', CASE WHEN changed.closed_at IS NULL THEN 'open' ELSE 'closed' END,
          'agent', changed.agent));
        IF is_request THEN
          INSERT INTO webchat.rating (organization_id, conversation_id, request_event)
          VALUES (NEW.organization_id, NEW.conversation_id, changed.last_event);
          INSERT INTO webchat.event
          VALUES (NEW.organization_id, NEW.conversation_id, changed.last_event, 'rating.requested', NULL,
            jsonb_build_object('requestedAt',
              to_char(changed.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
        END IF;
        RETURN NEW;
      END $$;

      CREATE TRIGGER number_activity BEFORE INSERT ON webchat.activity FOR EACH ROW
      WHEN (NEW.event IS NULL) EXECUTE FUNCTION webchat.number_activity();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER number_activity ON webchat.activity;
      DROP TRIGGER number_change ON webchat.conversation;
      DROP FUNCTION webchat.number_activity;
      DROP FUNCTION webchat.number_change;
      ALTER TABLE webchat.activity DROP COLUMN event;
      ALTER TABLE webchat.conversation DROP COLUMN last_event, DROP COLUMN agent;
    `);
  }
}
