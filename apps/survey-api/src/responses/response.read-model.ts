import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { RESPONSE_COLUMNS, type ResponseWindow } from './response-window';
import type { SurveyResponse } from './survey-response';

/** A response with the number of its latest change. */
export interface ChangedResponse extends SurveyResponse {
  readonly change: number;
}

/** Responses in the order of their earliest time, then of their identifier. */
@Injectable()
export class ResponseReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** One page; the last costs as much as the first, because blocks are added up instead of responses skipped. */
  async page(
    organizationId: string,
    { campaignId, from, before }: ResponseWindow,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; items: SurveyResponse[] }> {
    const rows = await this.manager.query<(SurveyResponse & { total: number })[]>(
      `WITH block AS (
         SELECT starts_at, starts_with, responses,
           sum(responses) OVER (ORDER BY starts_at, starts_with) - responses AS preceding
         FROM survey.response_block
         WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4
       ), start AS (
         SELECT starts_at, starts_with, $5 - preceding AS skipped
         FROM block
         WHERE preceding <= $5
         ORDER BY starts_at DESC, starts_with DESC
         LIMIT 1
       ), page AS (
         SELECT place.identifier
         FROM start
         CROSS JOIN LATERAL (
           SELECT identifier
           FROM survey.response
           WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at < $4
             AND (earliest_at, identifier) >= (start.starts_at, start.starts_with)
           ORDER BY earliest_at, identifier
           OFFSET start.skipped LIMIT $6
         ) AS place
       )
       SELECT counted.total, ${RESPONSE_COLUMNS}
       FROM (SELECT coalesce(sum(responses), 0)::int AS total FROM block) AS counted
       LEFT JOIN (
         page JOIN survey.response ON response.organization_id = $1 AND response.identifier = page.identifier
       ) ON true
       ORDER BY response.earliest_at, response.identifier`,
      [organizationId, campaignId, from, before, offset, limit],
    );
    return { total: rows[0]?.total ?? 0, items: rows.filter(({ identifier }) => identifier !== null) };
  }

  /** How many responses the window holds. */
  async count(organizationId: string, { campaignId, from, before }: ResponseWindow): Promise<number> {
    const [counted] = await this.manager.query<[{ total: number }]>(
      `SELECT coalesce(sum(responses), 0)::int AS total
       FROM survey.response_block
       WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4`,
      [organizationId, campaignId, from, before],
    );
    return counted.total;
  }

  /** The responses of the window that changed after the change of this number, in the order of their latest changes. */
  async changesAfter(
    organizationId: string,
    change: number,
    { campaignId, from, before }: ResponseWindow,
    limit: number,
  ): Promise<ChangedResponse[]> {
    return this.manager.query<ChangedResponse[]>(
      `WITH page AS (
         SELECT identifier, change
         FROM survey.response
         WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at >= $3 AND earliest_at < $4 AND change > $5
         ORDER BY change
         LIMIT $6
       )
       SELECT page.change::float8, ${RESPONSE_COLUMNS}
       FROM page JOIN survey.response ON response.organization_id = $1 AND response.identifier = page.identifier
       ORDER BY page.change`,
      [organizationId, campaignId, from, before, change, limit],
    );
  }
}
