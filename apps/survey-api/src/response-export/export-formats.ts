import { Readable } from 'node:stream';
import { type Cell, cellText, csvFile, tsvFile, xlsxFile } from '@cxp/spreadsheet';
import { TIME_ZONE } from '../calendar/day-window';
import { type ExportColumn, typedCell } from './export-columns';
import type { StoredResponse } from '../responses/response-fields';

export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  readonly responses: AsyncIterable<StoredResponse>;
  /** Whether to disarm texts that a spreadsheet would run as formulas; `text/csv` only. */
  readonly guardFormulas: boolean;
}

export interface ExportFormat {
  /** The file's extension; undefined for formats that are not kept as files. */
  readonly extension: string | undefined;
  readonly write: (table: ExportTable) => Readable;
}

export const EXPORT_FORMATS = {
  'text/csv; charset=utf-16le': {
    extension: 'csv',
    write: (table) => tsvFile(rowsOf(table), { timeZone: TIME_ZONE, guardFormulas: table.guardFormulas }),
  },
  'text/csv; charset=utf-8': {
    extension: 'csv',
    write: (table) =>
      csvFile(rowsOf(table), {
        timeZone: TIME_ZONE,
        guardFormulas: table.guardFormulas,
        hasMark: false,
      }),
  },
  'application/json': {
    extension: undefined,
    write: ({ columns, responses }) =>
      Readable.from(itemsJson(objectWriter(columns), responses), { objectMode: false }),
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    extension: 'xlsx',
    write: (table) => xlsxFile(rowsOf(table, typedCell), { sheetName: 'Responses', timeZone: TIME_ZONE }),
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportMediaType = keyof typeof EXPORT_FORMATS;

export const EXPORT_MEDIA_TYPES = Object.keys(EXPORT_FORMATS) as [ExportMediaType, ...ExportMediaType[]];

async function* rowsOf(
  { columns, responses }: ExportTable,
  cellOf = ({ value }: ExportColumn, response: StoredResponse) => value(response),
): AsyncGenerator<Cell[]> {
  yield columns.map(({ name }) => name);
  for await (const response of responses) yield columns.map((column) => cellOf(column, response));
}

async function* itemsJson(
  toJson: (response: StoredResponse) => string,
  responses: AsyncIterable<StoredResponse>,
): AsyncGenerator<string> {
  yield '{"items":[';
  let separator = '';
  for await (const response of responses) {
    yield separator + toJson(response);
    separator = ',';
  }
  yield ']}';
}

function objectWriter(columns: readonly ExportColumn[]): (response: StoredResponse) => string {
  const keys = distinctKeys(columns.map(({ name }) => name)).map((key) => `${JSON.stringify(key)}:`);
  return (response) => {
    const members = columns.map(
      ({ value }, i) => keys[i]! + JSON.stringify(cellText(value(response), TIME_ZONE)),
    );
    return `{${members.join(',')}}`;
  };
}

/** A metadata variable may equal another column's name, and an object's names must be unique. */
function distinctKeys(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let key = name;
    for (let n = 2; taken.has(key); n += 1) key = `${name} (${n})`;
    taken.add(key);
    return key;
  });
}
