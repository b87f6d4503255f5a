-- The schema as its migrations make it. Written by `npm run openapi`.

CREATE TABLE webchat.installed_source (
  organization_id text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  name text NOT NULL,
  channel_type text NOT NULL,
  active boolean NOT NULL,
  CONSTRAINT installed_source_pkey PRIMARY KEY (organization_id, id)
);

CREATE TABLE webchat.conversation (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id text NOT NULL,
  user_name text,
  user_email text,
  user_phone text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT date_trunc('milliseconds'::text, now()),
  closed_at timestamp with time zone,
  agent jsonb,
  last_event bigint NOT NULL DEFAULT 0,
  -- The last event that is no read mark.
  last_readable bigint NOT NULL DEFAULT 0,
  customer_read bigint NOT NULL DEFAULT 0,
  agent_read bigint NOT NULL DEFAULT 0,
  -- Area B has something of it, or will have.
  is_delivered boolean NOT NULL DEFAULT false,
  CONSTRAINT conversation_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT conversation_user_unique UNIQUE (organization_id, user_id)
);
-- For erasure and retention.
CREATE INDEX conversation_created ON webchat.conversation USING btree (organization_id, created_at, id);

-- What the user of a conversation was ever named by, but for its user_id. Its own columns hold what was said last.
CREATE TABLE webchat.conversation_identifier (
  organization_id text COLLATE "C" NOT NULL,
  conversation_id uuid NOT NULL,
  -- Kind and comparable value (conversation.repository.ts).
  identifier text COLLATE "C" NOT NULL,
  CONSTRAINT conversation_identifier_pkey PRIMARY KEY (organization_id, conversation_id, identifier)
);
CREATE INDEX conversation_identifier_found ON webchat.conversation_identifier USING btree (organization_id, identifier, conversation_id);

-- What happens in conversations, in their order. Written by append_events only.
CREATE TABLE webchat.event (
  organization_id text COLLATE "C" NOT NULL,
  conversation_id uuid NOT NULL,
  event bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C",
  client_id text COLLATE "C",
  stored_at timestamp with time zone NOT NULL,
  payload jsonb NOT NULL,
  CONSTRAINT event_pkey PRIMARY KEY (organization_id, conversation_id, event)
);
CREATE UNIQUE INDEX event_id_unique ON webchat.event USING btree (organization_id, type, id) WHERE (id IS NOT NULL);
CREATE UNIQUE INDEX event_client_id_unique ON webchat.event USING btree (organization_id, conversation_id, type, client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX event_type ON webchat.event USING btree (organization_id, conversation_id, type, event);

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
  since timestamp with time zone NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  -- The process that sends it has until then.
  leased_until timestamp with time zone,
  last_error text,
  CONSTRAINT undelivered_pkey PRIMARY KEY (organization_id, conversation_id)
);
CREATE INDEX undelivered_due ON webchat.undelivered USING btree (organization_id, next_attempt_at);

CREATE OR REPLACE FUNCTION webchat.find_or_create_conversation(organization_id text, user_id text, user_name text, user_email text, user_phone text, identifiers text[], delivers boolean)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
  #variable_conflict use_column
  DECLARE
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
    chat_id uuid;
    one_identifier text;
  BEGIN
    -- Again if an erasure takes the conversation away meanwhile.
    WHILE chat_id IS NULL LOOP
      INSERT INTO webchat.conversation (organization_id, user_id, user_name, user_email, user_phone, updated_at, is_delivered)
      VALUES ($1, $2, $3, $4, $5, clock, $7)
      ON CONFLICT (organization_id, user_id) DO NOTHING
      RETURNING id INTO chat_id;
      IF FOUND THEN
        IF $7 THEN INSERT INTO webchat.undelivered (organization_id, conversation_id) VALUES ($1, chat_id); END IF;
        FOREACH one_identifier IN ARRAY $6 LOOP
          INSERT INTO webchat.conversation_identifier (organization_id, conversation_id, identifier)
          VALUES ($1, chat_id, one_identifier);
        END LOOP;
        RETURN chat_id;
      END IF;
      SELECT id INTO chat_id FROM webchat.conversation WHERE organization_id = $1 AND user_id = $2;
    END LOOP;
    PERFORM webchat.describe_user($1, chat_id, $3, $4, $5, $6, $7);
    RETURN chat_id;
  END $function$;

CREATE OR REPLACE FUNCTION webchat.describe_user(organization_id text, conversation_id uuid, user_name text, user_email text, user_phone text, identifiers text[], delivers boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  #variable_conflict use_column
  DECLARE
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
    chat record;
    one_identifier text;
  BEGIN
    UPDATE webchat.conversation
    SET user_name = coalesce($3, user_name), user_email = coalesce($4, user_email), user_phone = coalesce($5, user_phone),
        updated_at = greatest(clock, (updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC')
    WHERE organization_id = $1 AND id = $2
      AND ($3 <> coalesce(user_name, '') OR $4 <> coalesce(user_email, '') OR $5 <> coalesce(user_phone, ''))
    RETURNING * INTO chat;
    IF FOUND AND ($7 OR chat.is_delivered) THEN
      INSERT INTO webchat.undelivered (organization_id, conversation_id, delivered_event)
      VALUES ($1, $2, CASE WHEN chat.is_delivered THEN chat.last_event ELSE 0 END)
      ON CONFLICT (organization_id, conversation_id) DO UPDATE SET revision = undelivered.revision + 1;
      UPDATE webchat.conversation SET is_delivered = true WHERE organization_id = $1 AND id = $2 AND NOT is_delivered;
    END IF;
    IF cardinality($6) > 0 THEN
      -- A conversation that is being erased gets no identifiers; messages do not wait for this lock.
      PERFORM FROM webchat.conversation WHERE organization_id = $1 AND id = $2 FOR KEY SHARE;
      IF NOT FOUND THEN RETURN; END IF;
      FOREACH one_identifier IN ARRAY $6 LOOP
        INSERT INTO webchat.conversation_identifier (organization_id, conversation_id, identifier)
        VALUES ($1, $2, one_identifier)
        ON CONFLICT DO NOTHING;
      END LOOP;
    END IF;
  END $function$;

CREATE OR REPLACE FUNCTION webchat.append_events(organization_id text, sent jsonb, skips_locked boolean, delivers boolean)
 RETURNS TABLE(number bigint, event bigint, type text, id text, client_id text, stored_at timestamp with time zone, payload jsonb)
 LANGUAGE plpgsql
AS $function$
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
      -- A mark that does not move waits for no lock and writes nothing.
      IF item ->> 'type' = 'read' THEN
        PERFORM FROM webchat.conversation
        WHERE organization_id = $1 AND id = (item ->> 'conversationId')::uuid
          AND least((item #>> '{payload,upTo}')::bigint, last_readable)
            > CASE item #>> '{payload,reader}' WHEN 'customer' THEN customer_read ELSE agent_read END;
        CONTINUE WHEN NOT FOUND;
      END IF;
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
      VALUES ($1, chat.id, event, type, id, client_id, stored_at, payload)
      ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN
        -- All NULL if the id belongs to an event of another conversation.
        SELECT known.event, known.id, known.client_id, known.stored_at, known.payload INTO event, id, client_id, stored_at, payload
        FROM webchat.event AS known
        WHERE known.organization_id = $1 AND known.conversation_id = chat.id AND known.type = item ->> 'type'
          AND (known.id = item ->> 'id' OR known.client_id = item ->> 'clientId')
        ORDER BY known.event LIMIT 1;
        RETURN NEXT;
        CONTINUE;
      END IF;
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
      IF ($4 OR chat.is_delivered) AND NOT is_read THEN
        INSERT INTO webchat.undelivered (organization_id, conversation_id, delivered_event)
        VALUES ($1, chat.id, CASE WHEN chat.is_delivered THEN chat.last_event ELSE 0 END)
        ON CONFLICT (organization_id, conversation_id) DO UPDATE SET revision = undelivered.revision + 1;
      END IF;
    END LOOP;
  END $function$;

-- Certificates.
CREATE TABLE webchat.erasure (
  organization_id text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  -- Null once the erasure is done.
  subject json,
  requested_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  erased_at timestamp(3) with time zone,
  -- How many records of each kind it has found.
  found json NOT NULL DEFAULT '{}'::json,
  -- Where the next step begins; null before the first.
  "position" text,
  last_change bigint,
  -- Of steps that have not succeeded since the last one that has.
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT erasure_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX erasure_due ON webchat.erasure USING btree (next_attempt_at) WHERE (erased_at IS NULL);

-- The keys of what was erased: records that have them do not come back.
CREATE TABLE webchat.erased_key (
  organization_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  CONSTRAINT erased_key_pkey PRIMARY KEY (organization_id, type, id)
);
