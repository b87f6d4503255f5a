import { intakeTurn } from '@cxp/record-intake';
import { booleanColumn, Statement } from '@cxp/storage';
import { isShown } from '../campaigns/campaign.repository';
import { DAY_OF, FIRST_IDENTIFIER, MAX_BLOCK_RESPONSES, splitStatement } from '../responses/response-blocks';
import { feedKey } from '../responses/response-feed';
import { LATEST_AT } from '../responses/survey-response';

/**
 * SQL: functions that store submissions, for a migration. `submit` takes the organization's turn, on the coordinator of Citus, too; it calls
 * `store_submissions` on the shard of the organization, whose statements Citus need not plan. Both are one call of the service.
 *
 * `links` and `keys` are, in pairs, the links whose metadata the submissions have and what their mapping keys were: an erasure may have taken a person's
 * values out of one since. Then nothing is stored, and the answer is false. A response that is stored already, or whose key
 * was erased, stays as it is.
 */
export const CREATE_STORE_SUBMISSIONS = `
  CREATE FUNCTION survey.store_submissions(organization_id text, submissions json, links text[], keys bytea[])
  RETURNS boolean LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    sent record;
    of_campaign uuid;
    is_shown boolean;
    numbered bigint;
    number bigint;
    stored record;
    block record;
    stored_keys text[] := '{}';
  BEGIN
    FOR place IN 1 .. cardinality(links) LOOP
      PERFORM FROM survey.link WHERE organization_id = $1 AND public_id = links[place] AND mapping_key = keys[place];
      IF NOT FOUND THEN
        RETURN false;
      END IF;
    END LOOP;
    SELECT last INTO numbered FROM survey.change_feed WHERE organization_id = $1;
    numbered := coalesce(numbered, 0);
    number := numbered;
    -- The latest of a campaign comes first: only it moves the campaign's interaction.
    FOR sent IN SELECT * FROM json_to_recordset(submissions) AS submission (
      identifier uuid, survey_campaign_id uuid, opened_timestamp timestamptz, answered_timestamp timestamptz, source text,
      tags json, metadata_mappings json, answers json, digest bigint, person_keys text[]
    ) ORDER BY survey_campaign_id, answered_timestamp DESC LOOP
      PERFORM FROM survey.erased_key
      WHERE organization_id = $1 AND type = 'survey_response' AND id = sent.identifier::text;
      CONTINUE WHEN FOUND;
      IF of_campaign IS DISTINCT FROM sent.survey_campaign_id THEN
        of_campaign := sent.survey_campaign_id;
        SELECT ${isShown('campaign')} INTO is_shown FROM survey.campaign WHERE organization_id = $1 AND id = of_campaign;
      END IF;
      INSERT INTO survey.response (
        organization_id, identifier, campaign_id, opened_at, answered_at, source, tags, metadata_mappings, answers, digest, person_keys, change
      ) VALUES (
        $1, sent.identifier, of_campaign, sent.opened_timestamp, sent.answered_timestamp, sent.source, sent.tags,
        sent.metadata_mappings, sent.answers, sent.digest, sent.person_keys, CASE WHEN is_shown THEN number + 1 END
      )
      ON CONFLICT (organization_id, identifier) DO NOTHING
      RETURNING identifier, earliest_at, ${LATEST_AT} AS latest_at, digest, change INTO stored;
      CONTINUE WHEN NOT FOUND;
      number := coalesce(stored.change, number);
      stored_keys := array_append(stored_keys, ${feedKey('stored.identifier')});
      UPDATE survey.campaign SET response_interaction_at = stored.latest_at
      WHERE organization_id = $1 AND id = of_campaign
        AND (response_interaction_at IS NULL OR response_interaction_at < stored.latest_at);
      SELECT starts_at, starts_with INTO block FROM survey.response_block
      WHERE organization_id = $1 AND campaign_id = of_campaign AND starts_at >= ${DAY_OF('stored.earliest_at')}
        AND (starts_at, starts_with) <= (stored.earliest_at, stored.identifier)
      ORDER BY starts_at DESC, starts_with DESC
      LIMIT 1;
      IF FOUND THEN
        UPDATE survey.response_block
        SET responses = responses + 1, digest = digest # stored.digest, last_change = coalesce(stored.change, last_change)
        WHERE organization_id = $1 AND campaign_id = of_campaign AND starts_at = block.starts_at AND starts_with = block.starts_with
        RETURNING starts_at, starts_with, responses INTO block;
        IF block.responses > ${MAX_BLOCK_RESPONSES} THEN
          ${splitStatement('of_campaign', 'block.starts_at', 'block.starts_with', 'block.responses')};
        END IF;
      ELSE
        INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses, digest, last_change)
        VALUES ($1, of_campaign, ${DAY_OF('stored.earliest_at')}, ${FIRST_IDENTIFIER}, 1, stored.digest, coalesce(stored.change, 0));
      END IF;
    END LOOP;
    IF number > numbered THEN
      DELETE FROM survey.change_removal WHERE organization_id = $1 AND op = 'delete' AND key = ANY (stored_keys);
      INSERT INTO survey.change_feed AS feed (organization_id, last) VALUES ($1, number - numbered)
      ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last;
    END IF;
    RETURN true;
  END $$;

  CREATE FUNCTION survey.submit(
    organization text, submissions json, links text[], keys bytea[], turn_ms text, lock_ms text
  ) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    is_stored boolean;
  BEGIN
    PERFORM set_config('lock_timeout', turn_ms, true);
    PERFORM ${intakeTurn('survey', 'organization')};
    PERFORM set_config('lock_timeout', lock_ms, true);
    SELECT outcome INTO is_stored FROM survey.store_submissions(organization, submissions, links, keys) AS outcome;
    RETURN is_stored;
  END $$;
`;

/** $1 organization, $2 submissions as a JSON array, $3 links, $4 their keys, $5 and $6 the longest waits, in milliseconds. */
export const SUBMIT = new Statement(
  { isStored: booleanColumn('outcome') },
  (list) => `SELECT ${list} FROM survey.submit($1, $2, $3, $4, $5, $6) AS outcome`,
  'prepared',
);
