import { accessDatabase } from '@cxp/access';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { contactCenterErasure } from '@cxp/contact-center-export/erasure/contact-center-erasure';
import { contactCenterRecords } from '@cxp/contact-center-export/intake/contact-center-writer';
import type { ErasureArea } from '@cxp/erasure';
import type { RecordArea } from '@cxp/record-intake';
import type { DatabaseArea } from '@cxp/storage';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { surveyDatabase } from '@cxp/survey-api/database';
import { surveyErasure } from '@cxp/survey-api/erasure/survey-erasure';
import { surveyRecords } from '@cxp/survey-api/records/survey-records';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { webchatErasure } from '@cxp/webchat-gateway/erasure/webchat-erasure';
import { webchatRecords } from '@cxp/webchat-gateway/installed-sources/installed-source.repository';

/** Every schema, in the order in which it is migrated. */
export const databases: readonly DatabaseArea[] = [
  accessDatabase,
  webchatDatabase,
  contactCenterDatabase,
  surveyDatabase,
];

/** The areas that take records in. */
export const recordAreas: readonly RecordArea[] = [webchatRecords, contactCenterRecords, surveyRecords];

/**
 * The areas that erase a person's data, in their order: webchat has contact-center remove its conversations, and what is gone by then is on
 * no certificate of contact-center, which a restored backup needs.
 */
export function erasureAreas(dataSource: DataSource, redis: Redis): ErasureArea[] {
  return [contactCenterErasure(dataSource), webchatErasure(dataSource, redis), surveyErasure(dataSource)];
}
