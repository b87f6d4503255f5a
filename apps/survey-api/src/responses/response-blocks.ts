import { Statement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/**
 * A part of a campaign's order of pages. Blocks turn the number of a page into a place to start: a page far into a campaign is found by
 * adding up blocks and skipping at most one block's responses. Each has the digest and the greatest change of its responses, so that the
 * digests of a window are read from blocks. While its campaign is not shown, the greatest change is that of before, until none is left.
 */
export interface Block {
  readonly campaign_id: string;
  readonly starts_at: string;
  readonly starts_with: string;
  readonly responses: number;
}

/** What `COUNT_RESPONSES` leaves to be done in the same transaction. */
export interface UnfinishedBlocks {
  readonly large: readonly Block[];
  /** Campaigns that have lost the response with the greatest change of a block. */
  readonly unknown: readonly string[];
  /** Campaigns that have lost the last response of a block. */
  readonly emptied: readonly string[];
}

const BLOCK_SIZE = 1000;

/** A block that holds more responses is split. */
export const MAX_BLOCK_RESPONSES = 2 * BLOCK_SIZE;

/** SQL: the start of the day (UTC+7) of an instant. */
export const DAY_OF = (instant: string) => `date_bin('1 day', ${instant}, '2000-01-01T00:00:00+07')`;

/** SQL: what the first block of a day starts with. */
export const FIRST_IDENTIFIER = `'00000000-0000-0000-0000-000000000000'::uuid`;

/**
 * SQL: what a statement that changes responses appends to its CTEs, to count the changes exactly, under the intake lock of the organization, which
 * is $1. Its CTE `moved (campaign_id, earliest_at, identifier, digest, change, responses)` lists responses that come to a
 * place in their campaign's order (`responses` 1) or leave it (-1). Each day gets a block of its own with its first response: windows
 * are whole days, so that a window is made of whole blocks. The CTE `counted` has what is left to be done.
 */
export const COUNT_RESPONSES = `
  placed AS (
    SELECT campaign_id, day, block.starts_at, block.starts_with, sum(responses)::integer AS responses, bit_xor(digest) AS digest,
      max(change) FILTER (WHERE responses = 1) AS greatest_come, max(change) FILTER (WHERE responses = -1) AS greatest_gone
    FROM (SELECT *, ${DAY_OF('earliest_at')} AS day FROM moved) AS moved
    LEFT JOIN LATERAL (
      SELECT starts_at, starts_with
      FROM survey.response_block
      WHERE organization_id = $1 AND campaign_id = moved.campaign_id AND starts_at >= day
        AND (starts_at, starts_with) <= (moved.earliest_at, moved.identifier)
      ORDER BY starts_at DESC, starts_with DESC
      LIMIT 1
    ) AS block ON true
    GROUP BY campaign_id, day, block.starts_at, block.starts_with
  ), begun AS (
    INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses, digest, last_change)
    SELECT $1, campaign_id, day, ${FIRST_IDENTIFIER}, responses, digest, coalesce(greatest_come, 0)
    FROM placed
    WHERE starts_at IS NULL
    RETURNING campaign_id, starts_at, starts_with, responses, last_change
  ), grown AS (
    UPDATE survey.response_block AS block SET
      responses = block.responses + placed.responses,
      digest = block.digest # placed.digest,
      last_change = CASE
        WHEN block.responses + placed.responses = 0 THEN 0
        WHEN greatest_come >= last_change THEN greatest_come
        WHEN greatest_gone >= last_change THEN NULL
        ELSE last_change
      END
    FROM placed
    WHERE block.organization_id = $1 AND block.campaign_id = placed.campaign_id
      AND block.starts_at = placed.starts_at AND block.starts_with = placed.starts_with
    RETURNING block.campaign_id, block.starts_at, block.starts_with, block.responses, block.last_change
  ), counted AS (
    SELECT (
      SELECT coalesce(json_agg(block), '[]') FROM (
        SELECT campaign_id, starts_at, starts_with, responses FROM (SELECT * FROM begun UNION ALL SELECT * FROM grown) AS block
        WHERE responses > ${MAX_BLOCK_RESPONSES}
      ) AS block
    ) AS large, (
      SELECT coalesce(json_agg(DISTINCT campaign_id), '[]') FROM grown WHERE last_change IS NULL
    ) AS unknown, (
      SELECT coalesce(json_agg(DISTINCT campaign_id), '[]') FROM grown WHERE responses = 0
    ) AS emptied
  )`;

/** SQL: splits a block. $1 organization; the others are SQL of the campaign, the start of the block and how many responses it has. */
export function splitStatement(
  campaign: string,
  startsAt: string,
  startsWith: string,
  responses: string,
): string {
  return `INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses, digest, last_change)
   SELECT $1, ${campaign},
     CASE part WHEN 0 THEN ${startsAt} ELSE min(earliest_at) END,
     CASE part WHEN 0 THEN ${startsWith} ELSE (array_agg(identifier ORDER BY place))[1] END,
     count(*), bit_xor(digest), coalesce(max(change), 0)
   FROM (
     SELECT earliest_at, identifier, digest, change, place, place / ${BLOCK_SIZE} AS part
     FROM (
       SELECT earliest_at, identifier, digest, change, row_number() OVER (ORDER BY earliest_at, identifier) - 1 AS place
       FROM survey.response
       WHERE organization_id = $1 AND campaign_id = ${campaign} AND (earliest_at, identifier) >= (${startsAt}, ${startsWith})
       ORDER BY earliest_at, identifier
       LIMIT ${responses}
     ) AS response
   ) AS response
   GROUP BY part
   ON CONFLICT (organization_id, campaign_id, starts_at, starts_with)
     DO UPDATE SET responses = excluded.responses, digest = excluded.digest, last_change = excluded.last_change`;
}

/** $1 organization, $2 campaign, $3 and $4 start of the block, $5 its responses. */
const SPLIT = new Statement({}, splitStatement('$2::uuid', '$3::timestamptz', '$4::uuid', '$5::integer'));

/** $1 organization, $2 campaigns. */
const FIND_LAST_CHANGES = new Statement(
  {},
  `UPDATE survey.response_block AS block SET last_change = coalesce((
     SELECT max(change) FROM (
       SELECT change FROM survey.response
       WHERE organization_id = $1 AND campaign_id = block.campaign_id
         AND (earliest_at, identifier) >= (block.starts_at, block.starts_with)
       ORDER BY earliest_at, identifier
       LIMIT block.responses
     ) AS response
   ), 0)
   WHERE organization_id = $1 AND campaign_id = ANY ($2::uuid[]) AND last_change IS NULL`,
);

/** $1 organization, $2 the number before those of the responses that have changed. */
const NOTE_LAST_CHANGES = new Statement(
  {},
  `WITH placed AS MATERIALIZED (
     SELECT response.campaign_id, block.starts_at, block.starts_with, max(change) AS greatest
     FROM survey.response CROSS JOIN LATERAL (
       SELECT starts_at, starts_with
       FROM survey.response_block
       WHERE organization_id = $1 AND campaign_id = response.campaign_id
         AND (starts_at, starts_with) <= (response.earliest_at, response.identifier)
       ORDER BY starts_at DESC, starts_with DESC
       LIMIT 1
     ) AS block
     WHERE organization_id = $1 AND change > $2::bigint
     GROUP BY response.campaign_id, block.starts_at, block.starts_with
   )
   UPDATE survey.response_block AS block SET last_change = placed.greatest FROM placed
   WHERE block.organization_id = $1 AND block.campaign_id = placed.campaign_id
     AND block.starts_at = placed.starts_at AND block.starts_with = placed.starts_with`,
  'prepared',
);

/** $1 organization, $2 campaigns. */
const DELETE_EMPTY = new Statement(
  {},
  'DELETE FROM survey.response_block WHERE organization_id = $1 AND campaign_id = ANY ($2::uuid[]) AND responses = 0',
);

/** Within the transaction that counted. */
export async function finishBlocks(
  manager: EntityManager,
  organizationId: string,
  { large, unknown, emptied }: UnfinishedBlocks,
): Promise<void> {
  for (const { campaign_id, starts_at, starts_with, responses } of large) {
    await SPLIT.count(manager, [organizationId, campaign_id, starts_at, starts_with, responses]);
  }
  if (unknown.length > 0) await FIND_LAST_CHANGES.count(manager, [organizationId, unknown]);
  if (emptied.length > 0) await DELETE_EMPTY.count(manager, [organizationId, emptied]);
}

/** Once the responses that have changed in a transaction are numbered. @param before the number before theirs */
export async function noteLastChanges(
  manager: EntityManager,
  organizationId: string,
  before: number,
): Promise<void> {
  await NOTE_LAST_CHANGES.count(manager, [organizationId, before]);
}
