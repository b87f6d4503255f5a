import type { ParquetColumn, ParquetType } from '@cxp/spreadsheet';
import type { ExportedResponse } from './exported-response.read-model';

type Field = Exclude<keyof ExportedResponse, 'tags'>;

const FIELDS: Readonly<Record<Field, ParquetType>> = {
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
};

type Column = ParquetColumn<Readonly<Record<string, unknown>>>;

/** The columns of a Parquet file of responses: the fields of C2. Times may be texts, as in JSON. */
export const RESPONSE_COLUMNS: readonly Column[] = Object.entries(FIELDS).map(([name, type]) => ({
  name,
  type,
  isNullable: name !== 'identifier',
  valueOf: ({ [name]: value }) =>
    type === 'time' && value !== null ? new Date(value as string | Date) : value,
}));

export const CAMPAIGN_COLUMN: Column = {
  name: 'survey_campaign_id',
  type: 'text',
  isNullable: false,
  valueOf: ({ survey_campaign_id }) => survey_campaign_id,
};
