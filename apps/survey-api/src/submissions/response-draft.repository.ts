import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { Answers } from '../responses/answers';

/** What respondents have typed and not sent yet. */
@Injectable()
export class ResponseDraftRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Replaces the draft of a response, unless it is answered. */
  async store(
    organizationId: string,
    { identifier, campaignId, answers }: { identifier: string; campaignId: string; answers: Answers },
  ): Promise<void> {
    await this.manager.query(
      `INSERT INTO survey.response_draft (organization_id, identifier, campaign_id, answers, saved_at)
       SELECT $1, $2::uuid, $3::uuid, $4::json, now()
       WHERE NOT EXISTS (
         SELECT FROM survey.response WHERE organization_id = $1 AND identifier = $2 AND answered_at IS NOT NULL
       )
       ON CONFLICT (organization_id, identifier) DO UPDATE SET answers = EXCLUDED.answers, saved_at = EXCLUDED.saved_at`,
      [organizationId, identifier, campaignId, JSON.stringify(answers)],
    );
  }

  /** Removes the drafts of responses that are removed. */
  async removeAll(organizationId: string, identifiers: readonly string[]): Promise<void> {
    await this.manager.query(
      'DELETE FROM survey.response_draft WHERE organization_id = $1 AND identifier = ANY($2::uuid[])',
      [organizationId, identifiers],
    );
  }

  /**
   * Removes drafts of all organizations: those that are too old, and those that were stored at the very moment at which
   * their response was answered.
   * @returns how many there were
   */
  async prune(keptDays: number): Promise<number> {
    const [, removed] = await this.manager.query<[unknown[], number]>(
      `DELETE FROM survey.response_draft AS draft
       WHERE saved_at < now() - make_interval(days => $1)
          OR saved_at > now() - interval '1 hour' AND EXISTS (
            SELECT FROM survey.response
            WHERE response.organization_id = draft.organization_id
              AND response.identifier = draft.identifier
              AND response.answered_at IS NOT NULL
          )`,
      [keptDays],
    );
    return removed;
  }
}
