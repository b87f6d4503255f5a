import { Readable } from 'node:stream';
import { nextTurn } from '@cxp/service-kit';
import { type ParquetColumn, parquetFile, type ParquetType } from '@cxp/spreadsheet';
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

/** The columns of a Parquet file of responses: the fields of C2. Times may be texts, as in JSON. */
export const RESPONSE_COLUMNS: readonly ParquetColumn<Readonly<Record<string, unknown>>>[] = Object.entries(
  FIELDS,
).map(([name, type]) => ({
  name,
  type,
  isNullable: name !== 'identifier',
  valueOf: ({ [name]: value }) =>
    type === 'time' && value !== null ? new Date(value as string | Date) : value,
}));

/** Responses as Parquet: the fields of C2, the campaign, and tags. */
export function parquetExport(
  campaignId: string,
  pages: AsyncIterable<readonly ExportedResponse[]>,
  metadata: Readonly<Record<string, string>>,
): Readable {
  const file = parquetFile<ExportedResponse>(pages, {
    columns: [
      ...RESPONSE_COLUMNS,
      { name: 'survey_campaign_id', type: 'text', isNullable: false, valueOf: () => campaignId },
      { name: 'tags', type: 'json', isNullable: false, valueOf: ({ tags }) => tags },
    ],
    bytesOf: (response) => JSON.stringify(response).length,
    metadata,
    turn: nextTurn,
  });
  return Readable.from(file, { objectMode: false });
}
