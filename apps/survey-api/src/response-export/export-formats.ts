import type { Readable } from 'node:stream';
import { csvFile, tsvFile, xlsxFile, type Cell } from '@cxp/spreadsheet';
import { TIME_ZONE } from '../calendar/day-window';
import { type ExportColumn, typedCell } from './export-columns';
import { jsonFile } from './json-file';
import type { StoredResponse } from '../responses/response-fields';

/** The content of an export, the same in every format. */
export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  /** Some responses at a time, as they are read. */
  readonly pages: AsyncIterable<readonly StoredResponse[]>;
  /** Whether texts that a spreadsheet would run as formulas are guarded; in `text/csv` only. */
  readonly guardFormulas: boolean;
}

export interface ExportFormat {
  /** Of the file's name; undefined if the format is read by programs and not kept as a file. */
  readonly extension: string | undefined;
  readonly write: (table: ExportTable) => Readable;
}

/** The formats of the export by media type. The first is the contract's and the default. */
export const EXPORT_FORMATS = {
  'text/csv; charset=utf-16le': {
    extension: 'csv',
    write: (table) => tsvFile(rowsOf(table), { timeZone: TIME_ZONE, guardFormulas: table.guardFormulas }),
  },
  'text/csv; charset=utf-8': {
    extension: 'csv',
    write: (table) => csvFile(rowsOf(table), { timeZone: TIME_ZONE, guardFormulas: table.guardFormulas }),
  },
  'application/json': {
    extension: undefined,
    write: ({ columns, pages }) => jsonFile(columns, pages),
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    extension: 'xlsx',
    write: (table) => xlsxFile(rowsOf(table, typedCell), { sheetName: 'Responses', timeZone: TIME_ZONE }),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportMediaType = keyof typeof EXPORT_FORMATS;

/** The media types of all formats, the contract's first. */
export const EXPORT_MEDIA_TYPES = Object.keys(EXPORT_FORMATS) as [ExportMediaType, ...ExportMediaType[]];

/** The column names, then one row per response, made when it is read. */
async function* rowsOf(
  { columns, pages }: ExportTable,
  cellOf = ({ value }: ExportColumn, response: StoredResponse) => value(response),
): AsyncGenerator<Cell[]> {
  yield columns.map(({ name }) => name);
  for await (const page of pages) {
    for (const response of page) yield columns.map((column) => cellOf(column, response));
  }
}
