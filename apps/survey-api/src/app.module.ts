import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { accessDatabase } from '@cxp/auth-headers';
import { ChangeFeedModule } from '@cxp/change-feed';
import { HintsModule } from '@cxp/webhooks';
import { ErasureModule } from '@cxp/erasure';
import { commonEnvelope, validationItems } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule, RetentionModule } from '@cxp/records';
import { PlatformModule, type PlatformOptions } from '@cxp/service-kit';
import { CampaignListReadModel } from './campaigns/campaign-list.read-model';
import { CampaignController } from './campaigns/campaign.controller';
import { CampaignRepository } from './campaigns/campaign.repository';
import { CampaignService } from './campaigns/campaign.service';
import { surveyDatabase } from './database';
import { surveyEraser } from './erasure/survey-eraser';
import { LinkController } from './links/link.controller';
import { LinkRepository } from './links/link.repository';
import { LinkService } from './links/link.service';
import { MetadataFieldRepository } from './metadata-fields/metadata-field.repository';
import { surveyRecordStore } from './records/survey-records';
import { ResponseChangeController } from './response-changes/response-change.controller';
import { ResponseDigestReadModel } from './response-changes/response-digest.read-model';
import { expiredResponses } from './retention/expired-responses';
import { ResponseExportController } from './response-export/response-export.controller';
import { ResponseExportService } from './response-export/response-export.service';
import { RESPONSE_FEED } from './responses/response-fields';
import { ResponseController } from './responses/response.controller';
import { ResponseReadModel } from './responses/response.read-model';
import { ResponseService } from './responses/response.service';
import { SurveySettings } from './settings';
import { ErrorPages } from './survey-pages/error-pages';
import { LinkedSurveyReadModel } from './survey-pages/linked-survey.read-model';
import { SubmissionService } from './survey-pages/submission.service';
import { SurveyPageController } from './survey-pages/survey-page.controller';
import { SurveyPageService } from './survey-pages/survey-page.service';

@Module({})
export class AppModule {
  static readonly serviceName = 'survey-api';
  static readonly settings = SurveySettings;

  static platform(settings: SurveySettings): PlatformOptions {
    return {
      name: AppModule.serviceName,
      port: settings.SURVEY_PORT,
      databases: [accessDatabase, surveyDatabase],
      envelope: commonEnvelope,
      validationProblems: validationItems,
      rateLimits: {
        default: perSecondAndMinute(settings, 'EXTERNAL_SURVEY'),
        CHANGES: perSecondAndMinute(settings, 'CHANGES'),
        SURVEY_PUBLIC_VIEW: perSecondAndMinute(settings, 'SURVEY_PUBLIC_VIEW'),
        SURVEY_PUBLIC_ADDRESS: perSecondAndMinute(settings, 'SURVEY_PUBLIC_ADDRESS'),
      },
      document: describeApi(),
    };
  }

  static forRoot(settings: SurveySettings): DynamicModule {
    const hasPages = settings.SURVEY_PUBLIC_URL !== undefined;
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(settings, AppModule.platform(settings)),
        ChangeFeedModule.forRoot({
          feed: RESPONSE_FEED,
          removalsKeptDays: settings.SURVEY_REMOVALS_KEPT_DAYS,
        }),
        RecordIntakeModule.forRoot(surveyRecordStore(settings.SURVEY_RESPONSES_KEPT_DAYS)),
        ErasureModule.forRoot(surveyEraser),
        RetentionModule.forRoot(settings.SURVEY_RESPONSES_KEPT_DAYS, expiredResponses),
        HintsModule.forRoot({
          schema: surveyDatabase.schema,
          type: 'survey-response-changes',
          secretKeys: settings.WEBHOOK_SECRET_KEYS,
          allowedNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
        }),
      ],
      controllers: [
        CampaignController,
        ResponseController,
        ResponseExportController,
        ResponseChangeController,
        LinkController,
        ...(hasPages ? [SurveyPageController] : []),
      ],
      providers: [
        CampaignListReadModel,
        CampaignRepository,
        CampaignService,
        LinkRepository,
        LinkService,
        MetadataFieldRepository,
        ResponseDigestReadModel,
        ResponseExportService,
        ResponseReadModel,
        ResponseService,
        ...(hasPages ? [ErrorPages, LinkedSurveyReadModel, SubmissionService, SurveyPageService] : []),
      ],
    };
  }
}

function describeApi(): DocumentBuilder {
  return new DocumentBuilder()
    .setTitle('Surveys')
    .addTag('Survey campaigns', 'Campaigns and their questions.')
    .addTag('Survey responses', 'Responses of a campaign, page by page or as a file.')
    .addTag('Survey links', 'Links that open the survey of a campaign, each once per metadata mapping.')
    .addTag('Erasures', 'What is stored of a person is erased.')
    .addTag('Webhook endpoints', 'They are sent hints: the number that the feed of changes has reached.')
    .setDescription(
      'Lists survey campaigns with their questions, lists and exports the responses of a campaign, lists changes of ' +
        'responses, and creates survey links. Dates are days in UTC+7, date-times are in UTC.',
    );
}
