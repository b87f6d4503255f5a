import { Statement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/**
 * A part of a campaign's order of pages. Blocks turn the number of a page into a place to start: a page far into a campaign is found by
 * adding up blocks and skipping at most one block's responses.
 */
export interface Block {
  readonly campaign_id: string;
  readonly starts_at: string;
  readonly starts_with: string;
  readonly responses: number;
}

const BLOCK_SIZE = 1000;

/** A block that holds more responses is split. */
const MAX_BLOCK_RESPONSES = 2 * BLOCK_SIZE;

/**
 * SQL: what a statement that changes responses appends to its CTEs, to count the changes exactly, under the intake locks of their
 * organizations. Its CTE `moved (organization_id, campaign_id, earliest_at, identifier, responses)` lists responses that come to a
 * place in their campaign's order (`responses` 1) or leave it (-1). Each day gets a block of its own with its first response: windows
 * are whole days, so that a window is made of whole blocks. The CTE `large` has the blocks that are to be split.
 */
export const COUNT_RESPONSES = `
  placed AS (
    SELECT organization_id, campaign_id, day, block.starts_at, block.starts_with, sum(responses)::integer AS responses
    FROM (SELECT *, date_bin('1 day', earliest_at, '2000-01-01T00:00:00+07') AS day FROM moved) AS moved
    LEFT JOIN LATERAL (
      SELECT starts_at, starts_with
      FROM survey.response_block
      WHERE organization_id = moved.organization_id AND campaign_id = moved.campaign_id AND starts_at >= day
        AND (starts_at, starts_with) <= (moved.earliest_at, moved.identifier)
      ORDER BY starts_at DESC, starts_with DESC
      LIMIT 1
    ) AS block ON true
    GROUP BY organization_id, campaign_id, day, block.starts_at, block.starts_with
  ), begun AS (
    INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses)
    SELECT organization_id, campaign_id, day, '00000000-0000-0000-0000-000000000000', responses
    FROM placed
    WHERE starts_at IS NULL
    RETURNING *
  ), grown AS (
    UPDATE survey.response_block AS block SET responses = block.responses + placed.responses
    FROM placed
    WHERE block.organization_id = placed.organization_id AND block.campaign_id = placed.campaign_id
      AND block.starts_at = placed.starts_at AND block.starts_with = placed.starts_with AND placed.responses <> 0
    RETURNING block.*
  ), large AS (
    SELECT organization_id, campaign_id, starts_at, starts_with, responses
    FROM (SELECT * FROM begun UNION ALL SELECT * FROM grown) AS counted
    WHERE responses > ${MAX_BLOCK_RESPONSES}
  )`;

/** $1 organization, $2 campaign, $3 and $4 start of the block, $5 its responses, $6 size of a block. */
const SPLIT = new Statement(
  {},
  `INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses)
   SELECT $1, $2,
     CASE place WHEN 0 THEN $3 ELSE earliest_at END,
     CASE place WHEN 0 THEN $4 ELSE identifier END,
     LEAST($6, $5 - place)
   FROM (
     SELECT earliest_at, identifier, row_number() OVER (ORDER BY earliest_at, identifier) - 1 AS place
     FROM survey.response
     WHERE organization_id = $1 AND campaign_id = $2 AND (earliest_at, identifier) >= ($3, $4)
     ORDER BY earliest_at, identifier
     LIMIT $5
   ) AS response
   WHERE place % $6 = 0
   ON CONFLICT (organization_id, campaign_id, starts_at, starts_with)
     DO UPDATE SET responses = EXCLUDED.responses`,
);

/** Splits a block that has become too large, within the transaction that counted it. */
export async function splitBlock(
  manager: EntityManager,
  organizationId: string,
  block: Block,
): Promise<void> {
  const { campaign_id, starts_at, starts_with, responses } = block;
  await SPLIT.count(manager, [organizationId, campaign_id, starts_at, starts_with, responses, BLOCK_SIZE]);
}
