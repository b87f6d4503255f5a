import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWebchat1795700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webchat.installed_source (
        organization_id text COLLATE "C" NOT NULL,
        id bigint NOT NULL,
        name text NOT NULL,
        channel_type text NOT NULL,
        active boolean NOT NULL,
        PRIMARY KEY (organization_id, id)
      );

      CREATE TABLE webchat.conversation (
        organization_id text COLLATE "C" NOT NULL,
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        user_id text NOT NULL,
        user_name text,
        user_email text,
        user_phone text,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
        closed_at timestamptz,
        agent jsonb,
        last_event bigint NOT NULL DEFAULT 0,
        -- The last event that is no read mark.
        last_readable bigint NOT NULL DEFAULT 0,
        customer_read bigint NOT NULL DEFAULT 0,
        agent_read bigint NOT NULL DEFAULT 0,
        -- Area B has something of it, or will have.
        is_delivered boolean NOT NULL DEFAULT false,
        PRIMARY KEY (organization_id, id),
        CONSTRAINT conversation_user_unique UNIQUE (organization_id, user_id)
      );

      -- What happens in conversations, in their order. Written by append_events only.
      CREATE TABLE webchat.event (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        event bigint NOT NULL,
        type text COLLATE "C" NOT NULL,
        id text COLLATE "C",
        client_id text COLLATE "C",
        stored_at timestamptz NOT NULL,
        payload jsonb NOT NULL,
        PRIMARY KEY (organization_id, conversation_id, event)
      );
      CREATE UNIQUE INDEX event_id_unique ON webchat.event (organization_id, type, id) WHERE id IS NOT NULL;
      CREATE UNIQUE INDEX event_client_id_unique ON webchat.event (organization_id, conversation_id, type, client_id)
        WHERE client_id IS NOT NULL;
      CREATE INDEX event_type ON webchat.event (organization_id, conversation_id, type, event);

      -- What the user of a conversation was ever named by, but for the user id of the conversation: kind and comparable value
      -- (conversation.repository.ts). Its own columns hold what was sent last with a new session.
      CREATE TABLE webchat.conversation_identifier (
        organization_id text COLLATE "C",
        conversation_id uuid,
        identifier text COLLATE "C",
        PRIMARY KEY (organization_id, conversation_id, identifier)
      );
      CREATE INDEX conversation_identifier_found ON webchat.conversation_identifier (organization_id, identifier);

      -- Conversations of which area B does not have everything yet.
      CREATE TABLE webchat.undelivered (
        organization_id text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        -- Another one after each change: what was read before a change does not end the row.
        revision bigint NOT NULL DEFAULT 1,
        -- The last event that area B has.
        delivered_event bigint NOT NULL DEFAULT 0,
        -- It was erased: area B removes it, and keeps its key.
        is_erased boolean NOT NULL DEFAULT false,
        since timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        next_try_at timestamptz NOT NULL DEFAULT now(),
        -- The process that sends it has until then.
        leased_until timestamptz,
        last_error text,
        PRIMARY KEY (organization_id, conversation_id)
      );
      CREATE INDEX undelivered_due ON webchat.undelivered (organization_id, next_try_at);

      CREATE TABLE webchat.erasure (
        organization_id text COLLATE "C",
        id uuid,
        mode text COLLATE "C" NOT NULL CHECK (mode IN ('delete', 'anonymize')),
        -- SHA-256 of the subject and the mode: the same id has to come with the same ones. Null of an erasure that only its certificate
        -- has brought, until the first request with its id.
        subject_hash bytea,
        -- Null once the erasure is done.
        subject json,
        requested_at timestamptz(3) NOT NULL DEFAULT now(),
        -- Null until it is done once. If it is applied again, it has a subject until that is done; then the time of what it found last.
        erased_at timestamptz(3),
        -- How many records of each kind it has found.
        found json NOT NULL DEFAULT '{}',
        last_change bigint,
        PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX erasure_under_way ON webchat.erasure (requested_at) WHERE subject IS NOT NULL;
      CREATE INDEX erasure_of_subject ON webchat.erasure (organization_id, subject_hash);

      -- The keys of what was erased: records that have them don't come back. Beside them, of other types, those that an erasure that is
      -- applied again has yet to erase.
      CREATE TABLE webchat.erased_key (
        organization_id text COLLATE "C",
        type text COLLATE "C",
        id text COLLATE "C",
        mode text COLLATE "C" NOT NULL,
        erasure_id uuid NOT NULL,
        PRIMARY KEY (organization_id, type, id)
      );
      CREATE INDEX erased_key_of_erasure ON webchat.erased_key (organization_id, erasure_id);

      CREATE FUNCTION webchat.find_or_create_conversation(
        organization_id text, user_id text, user_name text, user_email text, user_phone text, identifiers text[], delivers boolean
      ) RETURNS uuid LANGUAGE plpgsql AS $function$
      #variable_conflict use_column
      DECLARE
        clock timestamptz := date_trunc('milliseconds', clock_timestamp());
        chat record;
        one_identifier text;
      BEGIN
        INSERT INTO webchat.conversation (organization_id, user_id, user_name, user_email, user_phone, updated_at)
        VALUES ($1, $2, $3, $4, $5, clock)
        ON CONFLICT (organization_id, user_id) DO UPDATE
          SET user_name = coalesce(excluded.user_name, conversation.user_name),
              user_email = coalesce(excluded.user_email, conversation.user_email),
              user_phone = coalesce(excluded.user_phone, conversation.user_phone),
              updated_at = CASE
                WHEN excluded.user_name <> coalesce(conversation.user_name, '')
                  OR excluded.user_email <> coalesce(conversation.user_email, '')
                  OR excluded.user_phone <> coalesce(conversation.user_phone, '')
                THEN greatest(excluded.updated_at, (conversation.updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')
                ELSE conversation.updated_at END
        RETURNING * INTO chat;
        -- Otherwise area B knows it as it was before.
        IF $7 AND chat.updated_at >= clock THEN
          INSERT INTO webchat.undelivered (organization_id, conversation_id, delivered_event)
          VALUES ($1, chat.id, CASE WHEN chat.is_delivered THEN chat.last_event ELSE 0 END)
          ON CONFLICT (organization_id, conversation_id) DO UPDATE SET revision = undelivered.revision + 1;
          IF NOT chat.is_delivered THEN
            UPDATE webchat.conversation SET is_delivered = true WHERE organization_id = $1 AND id = chat.id;
          END IF;
        END IF;
        FOREACH one_identifier IN ARRAY $6 LOOP
          INSERT INTO webchat.conversation_identifier (organization_id, conversation_id, identifier)
          VALUES ($1, chat.id, one_identifier)
          ON CONFLICT DO NOTHING;
        END LOOP;
        RETURN chat.id;
      END $function$;

      CREATE FUNCTION webchat.append_events(organization_id text, sent jsonb, skips_locked boolean, delivers boolean)
      RETURNS TABLE (number bigint, event bigint, type text, id text, client_id text, stored_at timestamptz, payload jsonb)
      LANGUAGE plpgsql AS $function$
      #variable_conflict use_column
      DECLARE
        item jsonb;
        chat record;
        next_state text;
        is_read boolean;
        reads_up_to bigint;
      BEGIN
        -- Conversations are locked in their order.
        FOR item, number IN
          SELECT value, ordinality FROM jsonb_array_elements($2) WITH ORDINALITY ORDER BY value ->> 'conversationId', ordinality
        LOOP
          IF $3 THEN
            SELECT * INTO chat FROM webchat.conversation
            WHERE organization_id = $1 AND id = (item ->> 'conversationId')::uuid FOR NO KEY UPDATE SKIP LOCKED;
          ELSE
            SELECT * INTO chat FROM webchat.conversation
            WHERE organization_id = $1 AND id = (item ->> 'conversationId')::uuid FOR NO KEY UPDATE;
          END IF;
          CONTINUE WHEN NOT FOUND;

          type := item ->> 'type';
          id := item ->> 'id';
          client_id := item ->> 'clientId';
          payload := item -> 'payload';
          event := chat.last_event + 1;
          stored_at := greatest(date_trunc('milliseconds', clock_timestamp()), chat.updated_at + interval '1 millisecond');
          is_read := type = 'read';

          IF is_read THEN
            reads_up_to := least((payload ->> 'upTo')::bigint, chat.last_readable);
            CONTINUE WHEN reads_up_to <= CASE payload ->> 'reader' WHEN 'customer' THEN chat.customer_read ELSE chat.agent_read END;
            payload := payload || jsonb_build_object('upTo', reads_up_to);
            IF payload ->> 'reader' = 'customer' THEN chat.customer_read := reads_up_to; ELSE chat.agent_read := reads_up_to; END IF;
          ELSE
            next_state := item -> 'next' ->> CASE
              WHEN chat.closed_at IS NOT NULL THEN 'closed' WHEN chat.agent IS NOT NULL THEN 'attended' ELSE 'unattended' END;
            chat.closed_at := CASE
              WHEN next_state = 'closed' THEN coalesce(chat.closed_at, (payload ->> 'occurredAt')::timestamptz, stored_at) END;
            chat.agent := CASE WHEN next_state = 'attended' THEN coalesce(nullif(item -> 'agent', 'null'), chat.agent) END;
            chat.updated_at := stored_at;
            chat.last_readable := event;
            payload := payload || jsonb_build_object(
              'status', CASE WHEN next_state = 'closed' THEN 'closed' ELSE 'open' END, 'agent', chat.agent);
          END IF;
          INSERT INTO webchat.event (organization_id, conversation_id, event, type, id, client_id, stored_at, payload)
            VALUES ($1, chat.id, event, type, id, client_id, stored_at, payload);
          RETURN NEXT;
          IF item ->> 'followedBy' IS NOT NULL THEN
            type := item ->> 'followedBy';
            event := event + 1;
            id := NULL;
            chat.last_readable := event;
            INSERT INTO webchat.event (organization_id, conversation_id, event, type, id, client_id, stored_at, payload)
            VALUES ($1, chat.id, event, type, NULL, NULL, stored_at, payload);
            RETURN NEXT;
          END IF;

          UPDATE webchat.conversation
          SET last_event = event, last_readable = chat.last_readable, customer_read = chat.customer_read, agent_read = chat.agent_read,
              updated_at = chat.updated_at, closed_at = chat.closed_at, agent = chat.agent,
              is_delivered = is_delivered OR ($4 AND NOT is_read)
          WHERE organization_id = $1 AND id = chat.id;
          IF $4 AND NOT is_read THEN
            INSERT INTO webchat.undelivered (organization_id, conversation_id, delivered_event)
            VALUES ($1, chat.id, CASE WHEN chat.is_delivered THEN chat.last_event ELSE 0 END)
            ON CONFLICT (organization_id, conversation_id) DO UPDATE SET revision = undelivered.revision + 1;
          END IF;
        END LOOP;
      END $function$;

      -- For erasure and retention.
      CREATE INDEX conversation_created ON webchat.conversation (organization_id, created_at, id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA webchat CASCADE');
  }
}
