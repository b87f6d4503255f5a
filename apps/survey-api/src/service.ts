import { tokenEnvelope, validationItems } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule } from '@cxp/record-intake';
import type { ServiceDefinition } from '@cxp/service-kit';
import { CampaignsModule } from './campaigns/campaigns.module';
import { LinksModule } from './links/links.module';
import { surveyRecords } from './records/survey-records';
import { ResponseExportModule } from './response-export/response-export.module';
import { ResponsesModule } from './responses/responses.module';
import { SurveySettings } from './settings';

export const surveyApi: ServiceDefinition<SurveySettings> = {
  name: 'survey-api',
  settings: SurveySettings,
  port: (settings) => settings.SURVEY_PORT,
  envelope: tokenEnvelope,
  validationProblems: validationItems,
  rateLimits: (settings) =>
    perSecondAndMinute(settings.EXTERNAL_SURVEY_PER_SEC_LIMIT, settings.EXTERNAL_SURVEY_PER_MIN_LIMIT),
  imports: () => [
    CampaignsModule,
    ResponsesModule,
    ResponseExportModule,
    LinksModule,
    RecordIntakeModule.forRoot(surveyRecords),
  ],
  document: (builder) =>
    builder
      .setTitle('Surveys')
      .setDescription(
        'Lists survey campaigns with their questions, lists and exports the responses of a campaign, and creates survey ' +
          'links, each once, that carry metadata. Dates are days in UTC+7, date-times are UTC.',
      ),
};
