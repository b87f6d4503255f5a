import type { EntityManager } from 'typeorm';

/** A response that comes to a place in its campaign's order (`1`), or leaves it (`-1`). */
export interface BlockChange {
  readonly campaign_id: string;
  readonly earliest_at: Date;
  readonly identifier: string;
  readonly responses: 1 | -1;
}

interface Block {
  readonly campaign_id: string;
  readonly starts_at: Date;
  readonly starts_with: string;
  readonly responses: number;
}

/** A block is split when it holds twice as many responses. */
const BLOCK_SIZE = 1000;

/**
 * Keeps the counts that turn a page number into a place to start: a page far into a campaign is found by adding up
 * blocks and skipping at most one block's responses.
 */
export class ResponseBlockRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Counts changes, exactly: within the transaction that makes them, and under the organization's intake lock. */
  async apply(organizationId: string, changes: readonly BlockChange[]): Promise<void> {
    await this.startDays(organizationId, changes);
    const counted = await this.count(organizationId, changes);
    for (const block of counted.filter(({ responses }) => responses > 2 * BLOCK_SIZE)) {
      await this.split(organizationId, block);
    }
  }

  /** Gives each day its first block: windows are whole days, so that a window is made of whole blocks. */
  private async startDays(organizationId: string, changes: readonly BlockChange[]) {
    await this.manager.query(
      `INSERT INTO survey.response_block (organization_id, campaign_id, starts_at, starts_with, responses)
       SELECT DISTINCT $1, campaign_id, date_bin('1 day', earliest_at, '2000-01-01T00:00:00+07'), $3::uuid, 0
       FROM json_to_recordset($2) AS change (campaign_id uuid, earliest_at timestamptz)
       ON CONFLICT DO NOTHING`,
      [organizationId, JSON.stringify(changes), '00000000-0000-0000-0000-000000000000'],
    );
  }

  private async count(organizationId: string, changes: readonly BlockChange[]): Promise<Block[]> {
    const [blocks] = await this.manager.query<[Block[], number]>(
      `UPDATE survey.response_block AS block
       SET responses = block.responses + changed.responses
       FROM (
         SELECT change.campaign_id, place.starts_at, place.starts_with, sum(change.responses) AS responses
         FROM json_to_recordset($2) AS change (
           campaign_id uuid, earliest_at timestamptz, identifier uuid, responses integer
         )
         CROSS JOIN LATERAL (
           SELECT starts_at, starts_with
           FROM survey.response_block
           WHERE organization_id = $1
             AND campaign_id = change.campaign_id
             AND (starts_at, starts_with) <= (change.earliest_at, change.identifier)
           ORDER BY starts_at DESC, starts_with DESC
           LIMIT 1
         ) AS place
         GROUP BY change.campaign_id, place.starts_at, place.starts_with
       ) AS changed
       WHERE block.organization_id = $1
         AND block.campaign_id = changed.campaign_id
         AND block.starts_at = changed.starts_at
         AND block.starts_with = changed.starts_with
         AND changed.responses <> 0
       RETURNING block.campaign_id, block.starts_at, block.starts_with, block.responses`,
      [organizationId, JSON.stringify(changes)],
    );
    return blocks;
  }

  private async split(organizationId: string, block: Block): Promise<void> {
    await this.manager.query(
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
      [organizationId, block.campaign_id, block.starts_at, block.starts_with, block.responses, BLOCK_SIZE],
    );
  }
}
