import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { StoredSubmission } from './submission';

/** Submissions that are safe, and wait for the turn of their organization to become parts of responses. */
@Injectable()
export class WaitingSubmissionRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Of the same state of the same response the first one counts. @param submissions of any organizations */
  async insertAll(submissions: readonly StoredSubmission[]): Promise<void> {
    await this.manager.query(
      `INSERT INTO survey.waiting_submission (
         organization_id, identifier, state, campaign_id, public_id, answers, submitted_at
       )
       SELECT "organizationId", identifier, state, "campaignId", "publicId", answers, "submittedAt"
       FROM json_to_recordset($1) AS submission (
         "organizationId" text, identifier uuid, state text, "campaignId" uuid, "publicId" text, answers json,
         "submittedAt" timestamptz
       )
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(submissions)],
    );
  }

  /** Removes submissions of an organization in order to store them in the same transaction. @returns in the order of arrival */
  async remove(organizationId: string, limit: number): Promise<StoredSubmission[]> {
    const [removed] = await this.manager.query<[StoredSubmission[], number]>(
      `DELETE FROM survey.waiting_submission
       WHERE organization_id = $1 AND (identifier, state) IN (
         SELECT identifier, state FROM survey.waiting_submission
         WHERE organization_id = $1
         ORDER BY submitted_at
         LIMIT $2
       )
       RETURNING organization_id AS "organizationId", identifier, state, campaign_id AS "campaignId",
         public_id AS "publicId", answers, submitted_at AS "submittedAt"`,
      [organizationId, limit],
    );
    return removed.sort((left, right) => Number(left.submittedAt) - Number(right.submittedAt));
  }

  /** Removes those of responses that are removed. */
  async removeAll(organizationId: string, identifiers: readonly string[]): Promise<void> {
    await this.manager.query(
      'DELETE FROM survey.waiting_submission WHERE organization_id = $1 AND identifier = ANY($2::uuid[])',
      [organizationId, identifiers],
    );
  }

  /** All organizations that have any. */
  async listOrganizations(): Promise<string[]> {
    const rows = await this.manager.query<{ organization_id: string }[]>(
      'SELECT DISTINCT organization_id FROM survey.waiting_submission',
    );
    return rows.map(({ organization_id }) => organization_id);
  }
}
