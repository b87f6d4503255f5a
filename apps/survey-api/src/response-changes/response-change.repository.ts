import { Injectable } from '@nestjs/common';
import { ChangeRepository } from '@cxp/change-feed';
import { EntityManager } from 'typeorm';
import { IS_HIDDEN, responseDigest } from '../responses/response-feed';
import { surveyResponse } from '../responses/response.dto';
import { RESPONSE_COLUMNS } from '../responses/response-window';
import type { SurveyResponse } from '../responses/survey-response';

/** Responses that are read, and announced, at a time. */
const BATCH_RESPONSES = 1_000;

/** A response that the feed has not been told of in its present state. As in the index `response_unannounced`. */
const IS_UNANNOUNCED = '(response.announced_change IS NULL OR response.announced_change <> response.change)';

/** The responses of the statements below, with the campaign that decides whether they are in the feed. */
const UNANNOUNCED_RESPONSES = `
  survey.response LEFT JOIN survey.campaign
    ON campaign.organization_id = response.organization_id AND campaign.id = response.campaign_id
  WHERE response.organization_id = $1 AND ${IS_UNANNOUNCED}`;

/** The rows that the transaction wrote itself. */
const OF_THIS_TRANSACTION = 'response.xmin = pg_current_xact_id()::xid';

type UnannouncedResponse = SurveyResponse & {
  readonly campaignId: string;
  readonly digest: string | null;
};

/** The key of a response as the feed answers it. */
export function feedKey(identifier: string): string {
  return JSON.stringify({ identifier });
}

const FEED_KEY_SQL = `'{"identifier":"' || response.identifier || '"}'`;

/**
 * Announces changed responses in the feed of their organization, within a transaction that has the organization's intake
 * turn. Whoever changes a response gives it a new `change`; it stays unannounced until `announced_change` is the same.
 */
@Injectable()
export class ResponseChangeRepository {
  private readonly changes: ChangeRepository;

  constructor(private readonly manager: EntityManager) {
    this.changes = new ChangeRepository(manager, 'survey');
  }

  /**
   * Announces what this transaction has changed. The last statements before COMMIT.
   * @param announced how many responses the transaction announced as it stored them
   */
  async announceOwn(organizationId: string, announced = 0): Promise<void> {
    if (announced > 0) await this.takeBackBeforeRemovals(organizationId, announced);
    await this.announce(organizationId, OF_THIS_TRANSACTION, Infinity);
  }

  /** If the transaction also removes responses, the last numbers that it assigned are assigned again, after those of the removals. */
  private async takeBackBeforeRemovals(organizationId: string, announced: number): Promise<void> {
    await this.manager.query(
      `UPDATE survey.response SET digest = NULL, announced_change = NULL
       FROM survey.change_feed AS feed
       WHERE feed.organization_id = $1 AND response.organization_id = $1 AND response.feed_change > feed.last - $2
         AND EXISTS (SELECT FROM survey.change_removal WHERE organization_id = $1 AND change IS NULL)`,
      [organizationId, announced],
    );
  }

  /**
   * Announces responses that writers of a previous release changed.
   * @param limit of the responses that one call announces as upserts
   * @returns whether any may be left
   */
  async announceBacklog(organizationId: string, limit: number): Promise<boolean> {
    await this.numberUnnumbered(organizationId);
    return (await this.announce(organizationId, 'true', limit)) >= limit;
  }

  /** Responses whose row is about to be deleted. */
  async announceRemovals(organizationId: string, identifiers: readonly string[]): Promise<void> {
    const removals = identifiers.map((identifier) => ({ key: feedKey(identifier), change: null }));
    await this.changes.addRemovals(organizationId, removals);
  }

  /** Removals get lower numbers than upserts. @returns how many responses of visible campaigns were announced */
  private async announce(organizationId: string, scope: string, limit: number): Promise<number> {
    await this.hideResponses(organizationId, scope);
    await this.takeBackRemovals(organizationId, scope);
    await this.changes.numberUnnumberedRemovals(organizationId);
    let announced = 0;
    for (let after = FIRST_IDENTIFIER; announced < limit;) {
      const batch = await this.readBatch(organizationId, scope, after);
      if (batch.length === 0) break;
      await this.announceBatch(organizationId, batch);
      announced += batch.length;
      after = batch.at(-1)!.identifier;
    }
    return announced;
  }

  private async hideResponses(organizationId: string, scope: string): Promise<void> {
    await this.manager.query(
      `WITH hidden AS (
         SELECT response.identifier, response.feed_change, ${FEED_KEY_SQL} AS key
         FROM ${UNANNOUNCED_RESPONSES} AND ${scope} AND ${IS_HIDDEN}
       ), updated AS (
         UPDATE survey.response SET feed_change = NULL, digest = NULL, announced_change = response.change
         FROM hidden
         WHERE response.organization_id = $1 AND response.identifier = hidden.identifier
       )
       INSERT INTO survey.change_removal (organization_id, op, key)
       SELECT $1, 'delete', key FROM hidden WHERE feed_change IS NOT NULL
       ON CONFLICT (organization_id, op, key) DO UPDATE SET change = NULL, recorded_at = EXCLUDED.recorded_at`,
      [organizationId],
    );
  }

  private async takeBackRemovals(organizationId: string, scope: string): Promise<void> {
    const removals = await this.manager.query<unknown[]>(
      `SELECT FROM survey.change_removal WHERE organization_id = $1 AND op = 'delete' LIMIT 1`,
      [organizationId],
    );
    if (removals.length === 0) return;
    await this.manager.query(
      `DELETE FROM survey.change_removal AS removal
       USING ${UNANNOUNCED_RESPONSES} AND ${scope} AND NOT ${IS_HIDDEN}
         AND removal.organization_id = $1 AND removal.op = 'delete' AND removal.key = ${FEED_KEY_SQL}`,
      [organizationId],
    );
  }

  private async readBatch(
    organizationId: string,
    scope: string,
    after: string,
  ): Promise<UnannouncedResponse[]> {
    return this.manager.query<UnannouncedResponse[]>(
      `SELECT response.campaign_id AS "campaignId", response.digest::text, ${RESPONSE_COLUMNS}
       FROM ${UNANNOUNCED_RESPONSES} AND ${scope} AND NOT ${IS_HIDDEN} AND response.identifier > $2
       ORDER BY response.identifier
       LIMIT ${BATCH_RESPONSES}`,
      [organizationId, after],
    );
  }

  /** A response whose row in the feed stays the same keeps its number. */
  private async announceBatch(organizationId: string, batch: readonly UnannouncedResponse[]): Promise<void> {
    const digests = batch.map((response) => responseDigest(response.campaignId, surveyResponse(response)));
    const changed = batch.map(({ digest }, index) => digest !== digests[index]);
    const count = changed.filter(Boolean).length;
    let change = count === 0 ? 0 : await this.changes.assign(organizationId, count);
    await this.manager.query(
      `UPDATE survey.response SET
         feed_change = coalesce(announced.change, response.feed_change),
         digest = announced.digest,
         announced_change = response.change
       FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS announced (identifier, change, digest)
       WHERE response.organization_id = $1 AND response.identifier = announced.identifier`,
      [
        organizationId,
        batch.map(({ identifier }) => identifier),
        changed.map((isChanged) => (isChanged ? change++ : null)),
        digests,
      ],
    );
  }

  /** Gives a `change` to responses of a release that knew none, so that cursors of C2 and C3 find them. */
  private async numberUnnumbered(organizationId: string): Promise<void> {
    await this.manager.query(
      `WITH unnumbered AS (
         SELECT identifier, row_number() OVER () AS place
         FROM survey.response
         WHERE organization_id = $1 AND ${IS_UNANNOUNCED} AND change IS NULL
       ), preceding AS (
         INSERT INTO survey.response_change AS counter (organization_id, latest)
         SELECT $1, count(*) FROM unnumbered HAVING count(*) > 0
         ON CONFLICT (organization_id) DO UPDATE SET latest = counter.latest + EXCLUDED.latest
         RETURNING latest - (SELECT count(*) FROM unnumbered) AS changes
       )
       UPDATE survey.response SET change = preceding.changes + unnumbered.place
       FROM unnumbered CROSS JOIN preceding
       WHERE response.organization_id = $1 AND response.identifier = unnumbered.identifier`,
      [organizationId],
    );
  }
}

const FIRST_IDENTIFIER = '00000000-0000-0000-0000-000000000000';
