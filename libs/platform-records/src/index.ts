export {
  contactCenterRecordTypes,
  type ActivityData,
  type ContactCenterRecord,
  type ConversationData,
  type ConversationSurveyData,
  type HumanScheduleData,
  type MessageData,
  type TicketData,
} from './contact-center-records';
export { instantOf, isInstant, utcTime } from './formats';
export { problemAjv, RecordCheck, stepsOf, type RecordCheckResult } from './record-check';
export { lineSchema, plainSchema } from './record-schemas';
export {
  lastByKey,
  MAX_RECORD_BYTES,
  ofType,
  type PlatformRecord,
  type RecordType,
  type RecordTypes,
  type RemovalOf,
  type UpsertOf,
} from './record-type';
export {
  CAMPAIGN_STATUSES,
  MAX_COLUMN_TITLE_CHARACTERS,
  MAX_TITLE_CHARACTERS,
  METRIC_TYPES,
  QUESTION_TYPES,
  RESPONSE_SOURCES,
  surveyRecordTypes,
  type BrandData,
  type CampaignStatus,
  type MetadataFieldData,
  type MetricType,
  type OrganizationSettingsData,
  type QuestionType,
  type SurveyCampaignData,
  type SurveyQuestionData,
  type SurveyRecord,
  type SurveyResponseData,
} from './survey-records';
export { webchatRecordTypes, type InstalledSourceData, type WebchatRecord } from './webchat-records';
