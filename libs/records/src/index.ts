export {
  recordLoc,
  runsOf,
  type OnLine,
  type ReceivedRecord,
  type RecordArea,
  type RecordRun,
} from './intake/record-area';
export { MAX_BODY_BYTES, MAX_RECORDS, MAX_VALUES, RecordIntake } from './intake/record-intake';
export { RecordIntakeModule } from './intake/record-intake.module';
export { RecordParser } from './intake/record-parser';
export { linesOfStream, type RecordLine } from './intake/record-lines';
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
export { oldestFirst, type Aged } from './retention/oldest-first';
export { expiryOf, RetentionJob, type Expired, type ExpiringData } from './retention/retention.job';
export { RetentionModule } from './retention/retention.module';
export { instantOf, isInstant, utcTime } from './schemas/formats';
export { problemAjv, RecordCheck, stepsOf, type RecordCheckResult } from './schemas/record-check';
export { lineSchema, plainSchema } from './schemas/record-schemas';
export {
  lastByKey,
  MAX_RECORD_BYTES,
  ofType,
  type PlatformRecord,
  type RecordType,
  type RecordTypes,
  type RemovalOf,
  type UpsertOf,
} from './schemas/record-type';
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
} from './schemas/survey-records';
export { webchatRecordTypes, type InstalledSourceData, type WebchatRecord } from './schemas/webchat-records';
