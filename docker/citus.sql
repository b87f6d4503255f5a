-- How the tables of an area are spread over the workers of a Citus cluster: by organization, so that all rows of one are on one worker.
-- Tables that are not named here stay on the coordinator. A function that reads or writes for an organization runs on its worker. What is spread
-- already stays as it is: run it after each update.
--   psql --dbname="$MIGRATION_DATABASE_URL" --set=ON_ERROR_STOP=1 --file=docker/citus.sql

-- In one transaction, so that services never find only a part of the tables spread.
BEGIN;
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

SELECT create_distributed_table(name::regclass, 'organization_id', colocate_with => colocated),
  truncate_local_data_after_distributing_table(name::regclass), name
FROM (VALUES
  ('webchat.conversation', 'none'),
  ('webchat.conversation_identifier', 'webchat.conversation'),
  ('webchat.erased_key', 'webchat.conversation'),
  ('webchat.erasure', 'webchat.conversation'),
  ('webchat.event', 'webchat.conversation'),
  ('webchat.installed_source', 'webchat.conversation'),
  ('webchat.undelivered', 'webchat.conversation'),
  ('contact_center.record', 'none'),
  ('contact_center.bucket', 'contact_center.record'),
  ('contact_center.change_feed', 'contact_center.record'),
  ('contact_center.change_removal', 'contact_center.record'),
  ('contact_center.conversation_session', 'contact_center.record'),
  ('contact_center.erased_key', 'contact_center.record'),
  ('contact_center.erasure', 'contact_center.record'),
  ('contact_center.human_schedule', 'contact_center.record'),
  ('contact_center.webhook_endpoint', 'contact_center.record'),
  ('survey.response', 'none'),
  ('survey.bucket', 'survey.response'),
  ('survey.campaign', 'survey.response'),
  ('survey.campaign_name', 'survey.response'),
  ('survey.change_feed', 'survey.response'),
  ('survey.change_removal', 'survey.response'),
  ('survey.erased_key', 'survey.response'),
  ('survey.erasure', 'survey.response'),
  ('survey.link', 'survey.response'),
  ('survey.link_count', 'survey.response'),
  ('survey.metadata_field', 'survey.response'),
  ('survey.organization_settings', 'survey.response'),
  ('survey.webhook_endpoint', 'survey.response')
) AS listed (name, colocated)
WHERE to_regclass(name) IS NOT NULL AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(name));

SELECT create_distributed_function(name::regprocedure, 'organization_id', colocate_with => colocated, force_delegation => true), name
FROM (VALUES
  ('webchat.append_events(text,jsonb,boolean,boolean)', 'webchat.conversation'),
  ('webchat.describe_user(text,uuid,text,text,text,text[],boolean)', 'webchat.conversation'),
  ('webchat.find_or_create_conversation(text,text,text,text,text,text[],boolean)', 'webchat.conversation')
) AS listed (name, colocated)
WHERE to_regprocedure(name) IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_catalog.pg_dist_object WHERE objid = to_regprocedure(name) AND distribution_argument_index = 0
);

COMMIT;
