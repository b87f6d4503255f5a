import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import type { SurveyResponse } from './survey-response';

/** The responses of one campaign whose earliest time falls into a range, `before` excluded. */
export interface ResponseWindow {
  readonly organizationId: string;
  readonly campaignId: string;
  /** The first instant of a day in UTC+7, as is `before`. */
  readonly from: Date;
  readonly before: Date;
}

const COLUMNS = `
  response.identifier, response.sent_at AS "sentAt", response.sending_failed_at AS "sendingFailedAt",
  response.opened_at AS "openedAt", response.answered_at AS "answeredAt", response.user_name AS "userName",
  response.user_phone AS "userPhone", response.user_email AS "userEmail", response.source,
  response.transaction_id AS "transactionId", response.tags, response.metadata_mappings AS "metadataMappings",
  response.answers`;

/** Responses in the order of their earliest time, then of their identifier. */
@Injectable()
export class ResponseReadModel {
  constructor(private readonly dataSource: DataSource) {}

  /** One page; the last costs as much as the first, because blocks are added up instead of responses skipped. */
  async page(
    { organizationId, campaignId, from, before }: ResponseWindow,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ total: number; items: SurveyResponse[] }> {
    const rows = await this.dataSource.query<(SurveyResponse & { total: number })[]>(
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
       SELECT counted.total, ${COLUMNS}
       FROM (SELECT coalesce(sum(responses), 0)::int AS total FROM block) AS counted
       LEFT JOIN (
         page JOIN survey.response ON response.organization_id = $1 AND response.identifier = page.identifier
       ) ON true
       ORDER BY response.earliest_at, response.identifier`,
      [organizationId, campaignId, from, before, offset, limit],
    );
    return { total: rows[0]?.total ?? 0, items: rows.filter(({ identifier }) => identifier !== null) };
  }

  async count({ organizationId, campaignId, from, before }: ResponseWindow): Promise<number> {
    const [counted] = await this.dataSource.query<[{ total: number }]>(
      `SELECT coalesce(sum(responses), 0)::int AS total
       FROM survey.response_block
       WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4`,
      [organizationId, campaignId, from, before],
    );
    return counted.total;
  }

  /** Reads responses through a cursor, as fast as they are taken; leaving the loop ends the query. */
  async *stream(
    { organizationId, campaignId, from, before }: ResponseWindow,
    limit: number,
  ): AsyncGenerator<SurveyResponse> {
    const queryRunner = this.dataSource.createQueryRunner();
    try {
      const responses: Readable = await queryRunner.stream(
        `SELECT ${COLUMNS}
         FROM survey.response
         WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at >= $3 AND earliest_at < $4
         ORDER BY earliest_at, identifier
         LIMIT $5`,
        [organizationId, campaignId, from, before, limit],
      );
      for await (const response of responses) yield response as SurveyResponse;
    } finally {
      await queryRunner.release();
    }
  }
}
