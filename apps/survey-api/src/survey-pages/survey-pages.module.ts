import { Module } from '@nestjs/common';
import { ErrorPages } from './error-pages';
import { LinkedSurveyReadModel } from './linked-survey.read-model';
import { SubmissionService } from './submission.service';
import { SurveyPageController } from './survey-page.controller';
import { SurveyPageService } from './survey-page.service';

@Module({
  controllers: [SurveyPageController],
  providers: [ErrorPages, LinkedSurveyReadModel, SubmissionService, SurveyPageService],
})
export class SurveyPagesModule {}
