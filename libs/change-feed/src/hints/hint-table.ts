/** The most webhook endpoints of an organization in an area. */
export const MAX_ENDPOINTS = 10;

/** SQL of the table of webhook endpoints, as it was first. */
export function createHintTable(schema: string): string {
  return `
    -- A hint that waits is the difference between the last change of the organization and told_change.
    CREATE TABLE ${schema}.webhook_endpoint (
      organization_id text COLLATE "C",
      id uuid,
      -- Limits the endpoints of an organization.
      place smallint NOT NULL CHECK (place BETWEEN 1 AND ${MAX_ENDPOINTS}),
      url text NOT NULL,
      description text,
      -- Encrypted. Hints are also signed with the previous secret, until it ends.
      secret text NOT NULL,
      previous_secret text,
      previous_secret_until timestamptz,
      status text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'failing', 'disabled')),
      -- The number of the last hint that the endpoint accepted, and the epoch of this number.
      told_change bigint,
      told_epoch text,
      -- Attempts that have failed since the last one that did not.
      attempts integer NOT NULL DEFAULT 0,
      failing_since timestamptz,
      next_attempt_at timestamptz NOT NULL DEFAULT now(),
      last_attempt_at timestamptz,
      last_error text,
      -- The attempt that is under way, and when another process may make one.
      lease uuid,
      leased_until timestamptz NOT NULL DEFAULT '-infinity',
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (organization_id, id),
      CONSTRAINT webhook_endpoint_place UNIQUE (organization_id, place)
    );
  `;
}

/** SQL: endpoints are counted under a lock, and an attempt that is under way has put off the next one. */
export function simplifyHintTable(schema: string): string {
  return `ALTER TABLE ${schema}.webhook_endpoint DROP COLUMN place, DROP COLUMN lease, DROP COLUMN leased_until;`;
}
