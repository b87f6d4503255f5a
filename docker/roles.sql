-- Roles with no more rights than they need, made once by an administrator of the database:
--   psql "$ADMIN_DATABASE_URL" -f docker/roles.sql
-- and a password for each role that logs in: ALTER ROLE webchat_owner PASSWORD '…';
--
-- Each area has an owner, which migrates (MIGRATION_DATABASE_URL), and a role that serves (DATABASE_URL). The migration grants
-- the serving role what it needs. The schema access is shared: its owner is a group of all owners, so any area may come first.
CREATE ROLE access_owner;
CREATE SCHEMA access AUTHORIZATION access_owner;

CREATE ROLE webchat_owner LOGIN IN ROLE access_owner;
CREATE ROLE webchat_service LOGIN;
CREATE SCHEMA webchat AUTHORIZATION webchat_owner;

CREATE ROLE contact_center_owner LOGIN IN ROLE access_owner;
CREATE ROLE contact_center_service LOGIN;
CREATE SCHEMA contact_center AUTHORIZATION contact_center_owner;

CREATE ROLE survey_owner LOGIN IN ROLE access_owner;
CREATE ROLE survey_service LOGIN;
CREATE SCHEMA survey AUTHORIZATION survey_owner;

-- What survey searches with.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
