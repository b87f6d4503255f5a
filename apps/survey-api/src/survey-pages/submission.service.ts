import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withIntakeTurn } from '@cxp/record-intake';
import { withinDeadline } from '@cxp/service-kit';
import { GroupCommit } from '@cxp/storage';
import { surveyDatabase } from '../database';
import { erasedKeys } from '../responses/erased-keys';
import type { ResponseRecord } from '../responses/response-record';
import { ResponseRepository } from '../responses/response.repository';
import { LinkedSurveyReadModel } from './linked-survey.read-model';

/** The answers of a respondent, as a response of area C. */
export interface Submission {
  readonly organizationId: string;
  readonly response: ResponseRecord;
  /** The public id of the link whose metadata the response gets, if it has any. */
  readonly linkWithMetadata: string | undefined;
}

/**
 * How long a submission waits for an intake of its organization, and for a lock that anybody else holds, in milliseconds. After that
 * the request is a 503, and the page sends the answers again.
 */
const LOCK_TIMEOUTS = { turnMs: 1_000, lockMs: 300 };

/** PostgreSQL would plan the statement of each submission anew, which takes longer than to run it. */
const SETTINGS = ['SET LOCAL plan_cache_mode = force_generic_plan'];

/** Submissions of one transaction: together at most a few megabytes. */
const MAX_COMMITTED = 100;

/**
 * Stores submissions as records are stored: under the turn of their organization, by the same repositories. Submissions that come
 * while a transaction of their organization is under way share the next one, so that they do not wait for each other's turns.
 */
@Injectable()
export class SubmissionService {
  private readonly commits: GroupCommit<Submission, boolean>;

  constructor(private readonly dataSource: DataSource) {
    this.commits = new GroupCommit({
      maxItems: MAX_COMMITTED,
      groupOf: ({ organizationId }) => organizationId,
      commit: async (submissions) => {
        await this.storeAll(submissions);
        return submissions.map(() => true);
      },
      commitAlone: async (submission) => {
        await this.storeAll([submission]);
        return true;
      },
    });
  }

  /** Stores a response, unless there is one of this id. */
  async store(submission: Submission): Promise<void> {
    await this.commits.add(submission);
  }

  /** @param submissions of one organization, in the order of their arrival */
  private storeAll(submissions: readonly Submission[]): Promise<void> {
    const { organizationId } = submissions[0]!;
    const store = () =>
      withIntakeTurn(
        this.dataSource,
        surveyDatabase.name,
        organizationId,
        async (manager) => {
          const secret = await erasedKeys.secretOf(manager);
          // Under the turn: an erasure may just have taken a person's values out of the link.
          const links = submissions.flatMap(({ linkWithMetadata }) => linkWithMetadata ?? []);
          const metadata = await new LinkedSurveyReadModel(manager).findMetadata(organizationId, links);
          await new ResponseRepository(manager).storeNew(
            organizationId,
            submissions.map(({ response, linkWithMetadata = '' }) => ({
              ...response,
              metadata_mappings: metadata.get(linkWithMetadata) ?? null,
            })),
            (identifier) => secret.hash(organizationId, 'survey_response', identifier),
          );
        },
        LOCK_TIMEOUTS,
        SETTINGS,
      );
    return withinDeadline(['submissions', `organization:${organizationId}`], store);
  }
}
