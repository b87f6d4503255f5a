import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { accessDatabase } from '@cxp/access';
import { HintsModule } from '@cxp/change-feed';
import { commonEnvelope, validationItems } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule } from '@cxp/record-intake';
import { PlatformModule } from '@cxp/service-kit';
import { surveyDatabase } from './database';
import { CampaignsModule } from './campaigns/campaigns.module';
import { surveyErasureModule } from './erasure/survey-erasure.module';
import { LinksModule } from './links/links.module';
import { surveyRecordsKept } from './records/survey-records';
import { ResponseChangesModule } from './response-changes/response-changes.module';
import { ResponseExportModule } from './response-export/response-export.module';
import { ResponsesModule } from './responses/responses.module';
import { SurveySettings } from './settings';
import { SurveyPagesModule } from './survey-pages/survey-pages.module';

@Module({})
export class AppModule {
  static readonly serviceName = 'survey-api';
  static readonly settings = SurveySettings;

  static forRoot(settings: SurveySettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(settings, {
          name: AppModule.serviceName,
          port: settings.SURVEY_PORT,
          databases: [accessDatabase, surveyDatabase],
          envelope: commonEnvelope,
          validationProblems: validationItems,
          rateLimits: [
            ...perSecondAndMinute(settings, 'EXTERNAL_SURVEY'),
            ...perSecondAndMinute(settings, 'CHANGES'),
            ...perSecondAndMinute(settings, 'SURVEY_PUBLIC_VIEW'),
            ...perSecondAndMinute(settings, 'SURVEY_PUBLIC_ADDRESS'),
          ],
          document: describeApi(),
        }),
        CampaignsModule,
        ResponsesModule,
        ResponseExportModule,
        ResponseChangesModule.forRoot(settings),
        LinksModule,
        RecordIntakeModule.forRoot(surveyRecordsKept(settings.SURVEY_RESPONSES_KEPT_DAYS)),
        surveyErasureModule(settings),
        HintsModule.forRoot({
          schema: 'survey',
          type: 'survey-response-changes',
          secretKeys: settings.WEBHOOK_SECRET_KEYS,
          allowedNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
        }),
        ...(settings.SURVEY_PUBLIC_URL === undefined ? [] : [SurveyPagesModule]),
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
