-- Roles with no more rights than they need. An administrator of the database runs this with psql, as often as wished:
--   psql --dbname="$ADMIN_DATABASE_URL" --file=docker/roles.sql
-- before the first migration, on an installation that ran without roles (while it serves), or on a restored backup. Afterwards each area's
-- migration, run as its owner or by this administrator, grants the other roles what they need. A role that logs in needs a password: ALTER ROLE webchat_owner PASSWORD '…';
--
--   webchat_owner, …   migrates its area (MIGRATION_DATABASE_URL); what it holds belongs to it
--   webchat_service, … serves (DATABASE_URL): reads and writes the rows of its area
--   cxp_operator       the command line (npx cxp): tokens, imports, rejected records
--   cxp_backup         pg_dump and pg_basebackup: reads everything, writes nothing
--
-- The schema access is shared: its roles are groups of those of all areas, so any area may come first.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

-- Each line of an answer is a statement that psql runs.
SELECT format('CREATE ROLE %I %s', name, rights)
FROM (VALUES
  ('access_owner', 'NOLOGIN'), ('access_service', 'NOLOGIN'),
  ('webchat_owner', 'LOGIN'), ('webchat_service', 'LOGIN'),
  ('contact_center_owner', 'LOGIN'), ('contact_center_service', 'LOGIN'),
  ('survey_owner', 'LOGIN'), ('survey_service', 'LOGIN'),
  ('cxp_operator', 'LOGIN'), ('cxp_backup', 'LOGIN REPLICATION')
) AS wanted (name, rights)
WHERE name NOT IN (SELECT rolname FROM pg_roles)
\gexec

GRANT access_owner TO webchat_owner, contact_center_owner, survey_owner;
GRANT access_service TO webchat_service, contact_center_service, survey_service;
GRANT webchat_service, contact_center_service, survey_service TO cxp_operator;
GRANT pg_read_all_data TO cxp_backup;

-- Whoever gives a table to a role has to be a member of that role. A superuser is.
SELECT format('GRANT %I TO CURRENT_USER', rolname) FROM pg_roles
WHERE rolname IN ('access_owner', 'webchat_owner', 'contact_center_owner', 'survey_owner')
  AND NOT pg_has_role(current_user, oid, 'MEMBER')
\gexec

-- What survey searches with.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- A table is locked while its owner changes, each for a moment. Those behind a long statement are tried again by the next run.
SET lock_timeout = '2s';

-- Services that connect as the owner until now go on as a member of the new one. When they connect with their own role:
--   REVOKE webchat_owner FROM the_former_owner;
SELECT DISTINCT format('GRANT %I TO %I', nspname || '_owner', rolname)
FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind IN ('r', 'p')
JOIN pg_roles ON pg_roles.oid IN (nspowner, relowner)
WHERE nspname IN ('access', 'webchat', 'contact_center', 'survey')
  AND NOT rolsuper AND NOT pg_has_role(rolname, nspname || '_owner', 'MEMBER')
\gexec

SELECT format(statement, area, area)
FROM unnest(ARRAY['access', 'webchat', 'contact_center', 'survey']) AS area,
  unnest(ARRAY['CREATE SCHEMA IF NOT EXISTS %I AUTHORIZATION %I_owner', 'ALTER SCHEMA %I OWNER TO %I_owner']) AS statement
\gexec

-- Indexes, and sequences of columns, go with their tables.
SELECT format('ALTER TABLE %I.%I OWNER TO %I', nspname, relname, nspname || '_owner')
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname IN ('access', 'webchat', 'contact_center', 'survey') AND relkind IN ('r', 'p')
  AND pg_get_userbyid(relowner) <> nspname || '_owner'
\gexec

SELECT format('ALTER ROUTINE %I.%I(%s) OWNER TO %I', nspname, proname, pg_get_function_identity_arguments(pg_proc.oid), nspname || '_owner')
FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
WHERE nspname IN ('access', 'webchat', 'contact_center', 'survey')
  AND pg_get_userbyid(proowner) <> nspname || '_owner'
\gexec
