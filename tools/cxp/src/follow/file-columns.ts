import { SESSION_COLUMNS } from '@cxp/contact-center-export/conversation-sessions/session-stream-formats';
import type { ParquetColumn, ParquetRow, ParquetType } from '@cxp/spreadsheet';
import type { FollowedArea } from './followed-area';

export type FileColumn = ParquetColumn<ParquetRow>;

/** The fields of C2, and the campaign. */
const RESPONSE_FIELDS: Readonly<Record<string, ParquetType>> = {
  identifier: 'text',
  sent_timestamp: 'time',
  sending_failed_timestamp: 'time',
  opened_timestamp: 'time',
  answered_timestamp: 'time',
  user_name: 'text',
  user_phone: 'text',
  user_email: 'text',
  source: 'text',
  transaction_id: 'text',
  metadata_mappings: 'json',
  answers: 'json',
  survey_campaign_id: 'text',
};

const RESPONSE_COLUMNS: readonly FileColumn[] = Object.entries(RESPONSE_FIELDS).map(([name, type]) => ({
  name,
  type,
  isNullable: name !== 'identifier' && name !== 'survey_campaign_id',
  valueOf: ({ [name]: value }) => (type === 'time' && value !== null ? new Date(value as string) : value),
}));

/** The columns of an area's rows. */
export const FILE_COLUMNS: Readonly<Record<FollowedArea['name'], readonly FileColumn[]>> = {
  'contact-center': SESSION_COLUMNS,
  survey: RESPONSE_COLUMNS,
};
