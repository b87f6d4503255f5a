import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withFreeIntakeTurns } from '@cxp/record-intake';
import { GroupCommit } from '@cxp/storage';
import { surveyDatabase } from '../database';
import { ResponseDraftRepository } from './response-draft.repository';
import type { StoredSubmission, Submission } from './submission';
import { SubmissionRepository } from './submission.repository';
import { WaitingSubmissionService } from './waiting-submission.service';

/** How long submissions wait for a row that is locked, in milliseconds; the turns of their organizations are free. */
const LOCK_MS = 300;

/** Submissions of one transaction. */
const MAX_COMMITTED = 500;

/** PostgreSQL's code for a lock that did not come in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Stores submissions as they come, those of the same moment in one transaction. While an intake has the turn of an organization, its
 * submissions are stored apart and merged afterwards: an intake may take minutes, a respondent does not wait that long.
 */
@Injectable()
export class SubmissionService {
  private readonly merged: GroupCommit<StoredSubmission, boolean>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly drafts: ResponseDraftRepository,
    private readonly waiting: WaitingSubmissionService,
  ) {
    this.merged = new GroupCommit({
      maxItems: MAX_COMMITTED,
      commit: (submissions) => this.mergeAll(submissions),
      commitAlone: async (submission) => (await this.mergeAll([submission]))[0]!,
    });
  }

  /** Stores a submission whole, or, once the response is answered, nothing. */
  async store(submission: Submission): Promise<void> {
    if (!changesResponse(submission)) return this.drafts.store(submission.organizationId, submission);
    const isMerged = await this.merged.add(submission);
    if (!isMerged) await this.waiting.store(submission);
  }

  /** @returns of each submission whether it is stored; false if the turn of its organization is not free */
  private async mergeAll(submissions: readonly StoredSubmission[]): Promise<boolean[]> {
    const organizationIds = [...new Set(submissions.map(({ organizationId }) => organizationId))];
    try {
      return await withFreeIntakeTurns(
        this.dataSource,
        surveyDatabase.name,
        organizationIds,
        async (manager, free) => {
          const isFree = submissions.map(({ organizationId }) => free.has(organizationId));
          await new SubmissionRepository(manager).storeAll(submissions.filter((_, index) => isFree[index]));
          return isFree;
        },
        LOCK_MS,
      );
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error;
      return submissions.map(() => false);
    }
  }
}

function changesResponse(submission: Submission): submission is StoredSubmission {
  return submission.state !== 'draft';
}
