import { Module } from '@nestjs/common';
import { ResponseDraftRepository } from './response-draft.repository';
import { SubmissionMaintenanceService } from './submission-maintenance.service';
import { SubmissionService } from './submission.service';
import { WaitingSubmissionService } from './waiting-submission.service';

/** What respondents send. Without pages nothing new comes, but what has come is looked after. */
@Module({
  providers: [
    ResponseDraftRepository,
    SubmissionMaintenanceService,
    SubmissionService,
    WaitingSubmissionService,
  ],
  exports: [SubmissionService],
})
export class SubmissionsModule {}
