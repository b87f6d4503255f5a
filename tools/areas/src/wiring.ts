import { accessDatabase } from '@cxp/auth-headers';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { contactCenterEraser } from '@cxp/contact-center-export/erasure/contact-center-eraser';
import { contactCenterRecordStore } from '@cxp/contact-center-export/records/contact-center-writer';
import type { Eraser } from '@cxp/erasure';
import type { RecordStore } from '@cxp/records';
import { ContactCenterSettings } from '@cxp/contact-center-export/settings';
import { loadSettings } from '@cxp/service-kit';
import type { Environment } from '@cxp/service-kit/environment';
import type { DatabaseSchema } from '@cxp/storage';
import { IntersectionType, PickType } from '@nestjs/swagger';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { surveyDatabase } from '@cxp/survey-api/database';
import { surveyEraser } from '@cxp/survey-api/erasure/survey-eraser';
import { surveyRecordStore } from '@cxp/survey-api/records/survey-records';
import { SurveySettings } from '@cxp/survey-api/settings';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { webchatEraser } from '@cxp/webchat-gateway/erasure/webchat-eraser';
import { webchatRecords } from '@cxp/webchat-gateway/installed-sources/installed-source.repository';

/** Every schema, in the order in which it is migrated. */
export const databases: readonly DatabaseSchema[] = [
  accessDatabase,
  webchatDatabase,
  contactCenterDatabase,
  surveyDatabase,
];

/** How long the services keep what arrives, as their settings have it. */
class RetentionSettings extends IntersectionType(
  PickType(ContactCenterSettings, ['CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS']),
  PickType(SurveySettings, ['SURVEY_RESPONSES_KEPT_DAYS']),
) {}

/** The areas that take records in; what has expired by the settings of the environment is ignored. @throws SettingsError */
export function recordAreasOf(environment: Environment): readonly RecordStore[] {
  const kept = loadSettings(RetentionSettings, environment);
  return [
    webchatRecords,
    contactCenterRecordStore(kept.CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS),
    surveyRecordStore(kept.SURVEY_RESPONSES_KEPT_DAYS),
  ];
}

/** The same without expiry. */
export const recordAreas = recordAreasOf({});

/**
 * What erases a person's data, area by area, in their order: webchat has contact-center remove its conversations, and what is gone by then is on no
 * certificate of contact-center, which a restored backup needs.
 */
export function erasers(dataSource: DataSource, redis: Redis): Eraser[] {
  return [contactCenterEraser(dataSource), webchatEraser(dataSource, redis), surveyEraser(dataSource)];
}
