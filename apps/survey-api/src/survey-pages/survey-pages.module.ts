import { Module } from '@nestjs/common';
import { SubmissionsModule } from '../submissions/submissions.module';
import { LinkedSurveyReadModel } from './linked-survey.read-model';
import { PageAnswers } from './page-answers';
import { PostLimiter } from './post-limiter';
import { ResponseSeal } from './response-seal';
import { SurveyPageController } from './survey-page.controller';
import { SurveyPageService } from './survey-page.service';

@Module({
  imports: [SubmissionsModule],
  controllers: [SurveyPageController],
  providers: [LinkedSurveyReadModel, PageAnswers, PostLimiter, ResponseSeal, SurveyPageService],
})
export class SurveyPagesModule {}
