import type { Readable } from 'node:stream';
import type { SurveyResponse } from '../responses/survey-response';
import { csvFile, tsvFile } from './delimited-file';
import type { ExportColumn } from './export-columns';
import { exportRows } from './export-rows';
import { jsonFile, ndjsonFile } from './json-file';
import { xlsxFile } from './xlsx-file';

/** What an export shows, whatever its format. */
export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  readonly responses: AsyncIterable<SurveyResponse>;
  /** Whether cells that a spreadsheet would run as a formula are defused, in files of text. */
  readonly guardFormulas: boolean;
}

export interface ExportFormat {
  /** The ending of the file's name; none: it is read as it comes, not kept as a file. */
  readonly extension: string | undefined;
  readonly write: (table: ExportTable) => Readable;
}

/** The formats of the export by media type. The first is the contract's; the others are for who asks for them. */
export const EXPORT_FORMATS = {
  'text/csv; charset=utf-16le': {
    extension: 'csv',
    write: ({ columns, responses, guardFormulas }) =>
      tsvFile(exportRows(columns, responses), { guardFormulas }),
  },
  'text/csv; charset=utf-8': {
    extension: 'csv',
    write: ({ columns, responses, guardFormulas }) =>
      csvFile(exportRows(columns, responses), { guardFormulas }),
  },
  'application/json': {
    extension: undefined,
    write: ({ columns, responses }) => jsonFile(columns, responses),
  },
  'application/x-ndjson': {
    extension: undefined,
    write: ({ columns, responses }) => ndjsonFile(columns, responses),
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    extension: 'xlsx',
    write: ({ columns, responses }) => xlsxFile(exportRows(columns, responses)),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportMediaType = keyof typeof EXPORT_FORMATS;

/** The media types of all formats, the contract's first. */
export const EXPORT_MEDIA_TYPES = Object.keys(EXPORT_FORMATS) as [ExportMediaType, ...ExportMediaType[]];
