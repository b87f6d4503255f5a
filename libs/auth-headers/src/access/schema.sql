-- The schema as its migrations make it. Written by `npm run openapi`.

CREATE TABLE access.organization (
  id text NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT organization_pkey PRIMARY KEY (id),
  CONSTRAINT organization_id_check CHECK ((id <> ''::text))
);

CREATE TABLE access.api_token (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  organization_id text NOT NULL,
  name text NOT NULL,
  -- SHA-256 of the token, which is stored nowhere.
  hash bytea NOT NULL,
  permissions jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  replaced_by uuid,
  CONSTRAINT api_token_pkey PRIMARY KEY (id),
  CONSTRAINT api_token_hash_unique UNIQUE (hash),
  CONSTRAINT api_token_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES access.organization(id),
  CONSTRAINT api_token_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES access.api_token(id)
);
CREATE INDEX api_token_organization ON access.api_token USING btree (organization_id, created_at);
