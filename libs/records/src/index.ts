export {
  expiryOf,
  oldestFirst,
  RetentionJob,
  RetentionModule,
  type Aged,
  type Expired,
  type ExpiringData,
} from './retention';
export { MAX_BODY_BYTES, MAX_RECORDS, MAX_VALUES, RecordIntakeModule } from './intake/record-intake';
export { linesOfStream, type RecordLine, RecordParser } from './intake/record-parser';
export { recordsDocument } from './intake/records.openapi';
export {
  INTAKE_TIMEOUTS,
  organizationLock,
  storeRecords,
  storeSoundRecords,
  withOrganizationLock,
} from './intake/store-records';
export {
  contactCenterRecordTypes,
  type ActivityData,
  type ContactCenterRecord,
  type ConversationData,
  type ConversationSurveyData,
  type HumanScheduleData,
  type MessageData,
  type TicketData,
} from './schemas/contact-center-records';
export { instantOf, isInstant, utcTime } from './schemas/formats';
export { RecordCheck } from './schemas/record-check';
export { plainSchema } from './schemas/record-schemas';
export {
  lastByKey,
  MAX_RECORD_BYTES,
  ofType,
  recordLoc,
  runsOf,
  type OnLine,
  type ReceivedRecord,
  type RecordStore,
  type RemovalOf,
  type UpsertOf,
} from './schemas/record-types';
export {
  CAMPAIGN_STATUSES,
  MAX_COLUMN_TITLE_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  METRIC_TYPES,
  QUESTION_TYPES,
  SURVEY_LANGUAGES,
  RESPONSE_SOURCES,
  surveyRecordTypes,
  type BrandData,
  type CampaignStatus,
  type MetadataFieldData,
  type MetricType,
  type OrganizationSettingsData,
  type QuestionType,
  type SurveyCampaignData,
  type SurveyLanguage,
  type SurveyQuestionData,
  type SurveyRecord,
  type SurveyResponseData,
} from './schemas/survey-records';
export { webchatRecordTypes, type WebchatRecord } from './schemas/webchat-records';
