import { MAX_COLUMN_TITLE_CHARACTERS, MAX_RECORD_BYTES, MAX_TITLE_CHARACTERS } from '@cxp/platform-records';
import { MAX_JSON_VALUES } from '@cxp/service-kit';
import { CAMPAIGN_LIMITS, MAX_METADATA_FIELDS } from '@cxp/survey-api/records/record-problems';
import { MAX_FRAME_VALUES } from '@cxp/webchat-gateway/chat-protocol/limits';

/** What the largest input may hold: a little less than the limits of the services. */
export const LIMITS = {
  /** Members and elements of a JSON body or a record, with some room for those that it needs. */
  values: MAX_JSON_VALUES - 100,
  /** The same of a frame. */
  frameValues: MAX_FRAME_VALUES - 20,
  linkValues: 99_000,
  recordBytes: MAX_RECORD_BYTES - 2_000,
  ticketBytes: MAX_RECORD_BYTES - 2_000,
  conversationRecords: 9_980,
  conversationBytes: 16 * 1_024 * 1_024 - 64 * 1_024,
  weeklyIntervals: 200,
  exceptions: 1_000,
  campaign: {
    ...CAMPAIGN_LIMITS,
    titleCharacters: MAX_TITLE_CHARACTERS,
    columnTitleCharacters: MAX_COLUMN_TITLE_CHARACTERS,
  },
  /** With room for those that a tenant has. */
  metadataFields: MAX_METADATA_FIELDS - 10,
} as const;

/** Bytes of a URL with its query, with room for the headers that share the limit. */
export const QUERY_BYTES = 14 * 1_024;
