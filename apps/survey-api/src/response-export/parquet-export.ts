import { Readable } from 'node:stream';
import { nextTurn } from '@cxp/service-kit';
import { parquetFile } from '@cxp/spreadsheet';
import type { ExportedResponse } from './exported-response.read-model';
import { CAMPAIGN_COLUMN, RESPONSE_COLUMNS } from './response-columns';

/** Responses as Parquet: the fields of C2, the campaign, and tags. */
export function parquetExport(
  campaignId: string,
  pages: AsyncIterable<readonly ExportedResponse[]>,
  metadata: Readonly<Record<string, string>>,
): Readable {
  const file = parquetFile<ExportedResponse>(pages, {
    columns: [
      ...RESPONSE_COLUMNS,
      { ...CAMPAIGN_COLUMN, valueOf: () => campaignId },
      { name: 'tags', type: 'json', isNullable: false, valueOf: ({ tags }) => tags },
    ],
    bytesOf: (response) => JSON.stringify(response).length,
    metadata,
    turn: nextTurn,
  });
  return Readable.from(file, { objectMode: false });
}
