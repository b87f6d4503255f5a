/**
 * SQL: a function that finds a link or makes it, for a migration. One call, because nothing else can be sent whole to the shard of the organization; each
 * of its statements is one that Citus needs not plan.
 */
export const CREATE_FIND_OR_CREATE_LINK = `
  CREATE FUNCTION survey.find_or_create_link(
    organization_id text, campaign_id uuid, mapping_key bytea, default_limit integer, public_id text, name text,
    metadata_mapping json, field_ids bigint[],
    OUT link_limit integer, OUT campaign_exists boolean, OUT fields json, OUT link_id bigint, OUT link_public_id text,
    OUT link_name text, OUT link_metadata_mapping json, OUT link_created_at timestamptz, OUT link_updated_at timestamptz
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    known_fields integer;
  BEGIN
    SELECT max_survey_links_per_campaign INTO link_limit FROM survey.organization_settings WHERE organization_id = $1;
    link_limit := coalesce(link_limit, $4);
    PERFORM FROM survey.campaign WHERE organization_id = $1 AND id = $2 AND status NOT IN ('awaited', 'deleted');
    campaign_exists := FOUND;
    SELECT count(*), coalesce(json_agg(json_build_object('id', id, 'name', name, 'variable', variable)), '[]')
    INTO known_fields, fields
    FROM survey.metadata_field WHERE organization_id = $1 AND id = ANY ($8);
    IF NOT campaign_exists THEN
      RETURN;
    END IF;
    SELECT id, public_id, name, metadata_mapping, created_at, updated_at
    INTO link_id, link_public_id, link_name, link_metadata_mapping, link_created_at, link_updated_at
    FROM survey.link WHERE organization_id = $1 AND campaign_id = $2 AND mapping_key = $3;
    IF FOUND OR link_limit = 0 OR known_fields < cardinality($8) THEN
      RETURN;
    END IF;
    INSERT INTO survey.link_count AS counter (organization_id, campaign_id, links) VALUES ($1, $2, 1)
    ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = counter.links + 1 WHERE counter.links < link_limit;
    IF FOUND THEN
      INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
      VALUES ($1, $2, $3, $5, $6, $7)
      RETURNING id, public_id, name, metadata_mapping, created_at, updated_at
      INTO link_id, link_public_id, link_name, link_metadata_mapping, link_created_at, link_updated_at;
    END IF;
  END $$;
`;
