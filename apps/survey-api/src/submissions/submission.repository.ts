import { Injectable } from '@nestjs/common';
import { PreparedStatement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { IS_HIDDEN, responseDigest } from '../responses/response-feed';
import type { JsonObject } from '../responses/answers';
import { COUNT_RESPONSES, ResponseBlockRepository, type Block } from '../responses/response-block.repository';
import { surveyResponse } from '../responses/response.dto';
import { RESPONSE_COLUMNS } from '../responses/response-window';
import { submitted, type LinkedResponse, type StoredSubmission } from './submission';

/** What is stored of a response, and what a submission to it needs to know. */
type Found = LinkedResponse & {
  /** From 1, in the identifiers that were asked for. */
  readonly place: number;
  readonly isKnown: boolean;
  readonly isInFeed: boolean;
  readonly linkMetadata: JsonObject | null;
};

/** $1 organizations, $2 identifiers, $3 campaigns, $4 public ids of links. */
const FIND_RESPONSES = new PreparedStatement<Found>(
  'find responses of submissions',
  `SELECT submission.place::int, response.identifier IS NOT NULL AS "isKnown", NOT ${IS_HIDDEN} AS "isInFeed",
     (
       SELECT json_object_agg(field.variable, entry -> 'value')
       FROM survey.link
       CROSS JOIN json_array_elements(link.metadata_mapping) AS entry
       JOIN survey.metadata_field AS field
         ON field.organization_id = link.organization_id AND field.id = (entry ->> 'metadata_id')::bigint
       WHERE link.public_id = submission.public_id
     ) AS "linkMetadata",
     response.campaign_id AS "campaignId", ${RESPONSE_COLUMNS}
   FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY
     AS submission (organization_id, identifier, campaign_id, public_id, place)
   LEFT JOIN survey.response
     ON response.organization_id = submission.organization_id AND response.identifier = submission.identifier
   LEFT JOIN survey.campaign
     ON campaign.organization_id = submission.organization_id
       AND campaign.id = coalesce(response.campaign_id, submission.campaign_id)`,
);

/**
 * $1 the responses as a JSON array, each once, with their places in the order of arrival. Returns blocks that have become large.
 * A response of a campaign that is hidden is left unannounced: who announces the backlog also removes from the feed what it held
 * of it.
 */
const STORE_RESPONSES = new PreparedStatement<Block & { organization_id: string }>(
  'store responses of submissions',
  `WITH submitted AS MATERIALIZED (
     SELECT * FROM json_to_recordset($1) AS submitted (
       organization_id text, identifier uuid, campaign_id uuid, opened_at timestamptz, answered_at timestamptz,
       metadata_mappings json, answers json, digest bigint, is_known boolean, is_in_feed boolean, place integer
     )
   ), counted AS (
     INSERT INTO survey.response_change AS counter (organization_id, latest)
     SELECT organization_id, count(*) FROM submitted GROUP BY organization_id
     ON CONFLICT (organization_id) DO UPDATE SET latest = counter.latest + EXCLUDED.latest
     RETURNING organization_id, latest
   ), announced AS (
     INSERT INTO survey.change_feed AS feed (organization_id, last)
     SELECT organization_id, count(*) FROM submitted WHERE is_in_feed GROUP BY organization_id
     ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + EXCLUDED.last
     RETURNING organization_id, last
   ), numbered AS (
     SELECT submitted.*,
       counted.latest + 1 - row_number() OVER (
         PARTITION BY submitted.organization_id ORDER BY place DESC
       ) AS change,
       announced.last + 1 - row_number() OVER (
         PARTITION BY submitted.organization_id, is_in_feed ORDER BY place DESC
       ) AS feed_change
     FROM submitted JOIN counted USING (organization_id)
     LEFT JOIN announced ON is_in_feed AND announced.organization_id = submitted.organization_id COLLATE "C"
   ), stored AS (
     INSERT INTO survey.response AS response (
       organization_id, identifier, campaign_id, opened_at, answered_at, source, tags, metadata_mappings, answers,
       change, feed_change, digest, announced_change
     )
     SELECT organization_id, identifier, campaign_id, opened_at, answered_at, 'Anonymous Link', '[]', metadata_mappings,
       answers, change, feed_change, CASE WHEN is_in_feed THEN digest END, CASE WHEN is_in_feed THEN change END
     FROM numbered
     ON CONFLICT (organization_id, identifier) DO UPDATE SET
       opened_at = EXCLUDED.opened_at,
       answered_at = EXCLUDED.answered_at,
       metadata_mappings = EXCLUDED.metadata_mappings,
       answers = EXCLUDED.answers,
       change = EXCLUDED.change,
       feed_change = coalesce(EXCLUDED.feed_change, response.feed_change),
       digest = coalesce(EXCLUDED.digest, response.digest),
       announced_change = EXCLUDED.announced_change
   ), restored AS (
     DELETE FROM survey.change_removal AS removal
     USING numbered
     WHERE is_in_feed AND removal.organization_id = numbered.organization_id COLLATE "C" AND removal.op = 'delete'
       AND removal.key = '{"identifier":"' || numbered.identifier || '"}'
   ), noted AS (
     UPDATE survey.campaign SET response_interaction_at = interaction.at
     FROM (
       SELECT organization_id, campaign_id, max(coalesce(answered_at, opened_at)) AS at
       FROM submitted
       GROUP BY organization_id, campaign_id
     ) AS interaction
     WHERE campaign.organization_id = interaction.organization_id AND campaign.id = interaction.campaign_id
       AND (campaign.response_interaction_at IS NULL OR campaign.response_interaction_at < interaction.at)
   ), moved AS (
     SELECT organization_id, campaign_id, opened_at AS earliest_at, identifier, 1 AS responses
     FROM submitted
     WHERE NOT is_known
   ), ${COUNT_RESPONSES}, typed AS (
     DELETE FROM survey.response_draft AS draft
     USING submitted
     WHERE submitted.answered_at IS NOT NULL
       AND draft.organization_id = submitted.organization_id AND draft.identifier = submitted.identifier
   )
   SELECT * FROM large`,
);

/** Stores what respondents did on the pages of links, as opposed to records. */
@Injectable()
export class SubmissionRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Makes submissions parts of their responses, with everything that goes along: the numbers of the changes in the order of
   * arrival, the digest, the counts of pages, the latest interaction of the campaign, the draft that is answered now. Within a
   * transaction that has the intake turns of their organizations, so that nobody else changes between the two statements what the
   * first one reads.
   * @param submissions of any organizations, in the order of their arrival
   */
  async storeAll(submissions: readonly StoredSubmission[]): Promise<void> {
    const responses = await this.submittedResponses(submissions);
    if (responses.length === 0) return;
    const large = await STORE_RESPONSES.run(this.manager, [JSON.stringify(responses)]);
    const blocks = new ResponseBlockRepository(this.manager);
    for (const { organization_id, ...block } of large) await blocks.split(organization_id, block);
  }

  /** The responses that the submissions change, as `STORE_RESPONSES` stores them. */
  private async submittedResponses(submissions: readonly StoredSubmission[]): Promise<object[]> {
    const groups = groupByResponse(submissions);
    const found = await FIND_RESPONSES.run(this.manager, [
      groups.map(([first]) => first!.organizationId),
      groups.map(([first]) => first!.identifier),
      groups.map(([first]) => first!.campaignId),
      groups.map(([first]) => first!.publicId),
    ]);
    return found.flatMap(({ place, isKnown, isInFeed, linkMetadata, ...stored }) => {
      const group = groups[place - 1]!;
      const known = isKnown ? stored : undefined;
      let response: LinkedResponse | undefined;
      for (const one of group) response = submitted(response ?? known, one, linkMetadata) ?? response;
      if (!response) return [];
      return {
        organization_id: group[0]!.organizationId,
        identifier: response.identifier,
        campaign_id: response.campaignId,
        opened_at: response.openedAt,
        answered_at: response.answeredAt,
        metadata_mappings: response.metadataMappings,
        answers: response.answers,
        digest: responseDigest(response.campaignId, surveyResponse(response)),
        is_known: isKnown,
        is_in_feed: isInFeed,
        place,
      };
    });
  }
}

function groupByResponse(submissions: readonly StoredSubmission[]): StoredSubmission[][] {
  const groups = new Map<string, StoredSubmission[]>();
  for (const submission of submissions) {
    const key = `${submission.identifier} ${submission.organizationId}`;
    const group = groups.get(key);
    if (group) group.push(submission);
    else groups.set(key, [submission]);
  }
  return [...groups.values()];
}
