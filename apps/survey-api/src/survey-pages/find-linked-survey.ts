/** SQL: a function that finds the survey of a link, for a migration: one call, whose statements Citus need not plan. */
export const CREATE_FIND_LINKED_SURVEY = `
  CREATE FUNCTION survey.find_linked_survey(
    organization_id text, public_id text,
    OUT of_campaign uuid, OUT campaign_name text, OUT campaign_status text, OUT campaign_questions json,
    OUT brand text, OUT color text, OUT has_logo boolean, OUT link_key bytea, OUT link_mapping json, OUT variables json
  ) STABLE LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    field_ids bigint[];
  BEGIN
    SELECT campaign_id, mapping_key, metadata_mapping INTO of_campaign, link_key, link_mapping
    FROM survey.link WHERE organization_id = $1 AND public_id = $2;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    SELECT name, status, questions INTO campaign_name, campaign_status, campaign_questions
    FROM survey.campaign WHERE organization_id = $1 AND id = of_campaign;
    SELECT brand_name, brand_color, logo IS NOT NULL INTO brand, color, has_logo
    FROM survey.organization_settings WHERE organization_id = $1;
    IF json_array_length(link_mapping) > 0 THEN
      field_ids := ARRAY(SELECT (entry ->> 'metadata_id')::bigint FROM json_array_elements(link_mapping) AS entry);
      SELECT json_object_agg(id, variable) INTO variables
      FROM survey.metadata_field WHERE organization_id = $1 AND id = ANY (field_ids);
    END IF;
  END $$;
`;
