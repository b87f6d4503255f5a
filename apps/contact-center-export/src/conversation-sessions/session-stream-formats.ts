import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { lineWithCursor } from '@cxp/change-feed';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import {
  type Cell,
  csvFile,
  type ParquetColumn,
  parquetFile,
  type ParquetType,
  xlsxFile,
} from '@cxp/spreadsheet';
import { STREAM_PAUSE, withPauses, yieldToEventLoop } from '@cxp/storage';
import type { Timezone } from '../business-hours';
import { ROW_FIELDS } from '../derivation';
import type { StreamedRow } from './conversation-session.service';

export const SESSION_MEDIA_TYPES = [
  'application/json',
  'application/x-ndjson',
  'application/x-ndjson; profile=copy',
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.apache.parquet',
] as const;

export type SessionMediaType = (typeof SESSION_MEDIA_TYPES)[number];

export const FILE_EXTENSIONS: { readonly [Type in SessionMediaType]?: string } = {
  'text/csv': 'csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.apache.parquet': 'parquet',
};

/** Limits open streams. While its client does not read, a stream holds some rows in memory and no connection. */
@Injectable()
export class StreamLimits {
  readonly streams = new ConcurrencyLimit({ perOrganization: 8, total: 64 });
  /** A Parquet file holds a row group in memory: tens of megabytes. */
  readonly rowGroups = new ConcurrencyLimit({ perOrganization: 2, total: 8 });
}

const CSV_COLUMNS = [...Object.keys(ROW_FIELDS), 'cursor'];

type Rows = readonly StreamedRow[];

type Value = string | number | object | null | undefined;

/** @param isCopied whether rows include all that their digest is computed from */
export function lineStream(reads: AsyncIterable<Rows>, isCopied: boolean): Readable {
  return Readable.from(lines(reads, isCopied));
}

async function* lines(reads: AsyncIterable<Rows>, isCopied: boolean): AsyncGenerator<string> {
  for await (const rows of reads) {
    let text = '';
    for await (const { fields, cursor, conversationUpdatedAt } of withPauses(rows, STREAM_PAUSE)) {
      text += lineWithCursor(
        JSON.stringify(isCopied ? { ...fields, conversationUpdatedAt } : fields),
        cursor,
      );
    }
    yield text;
  }
}

/**
 * CSV in UTF-8 with a byte order mark: null is an empty cell, custom fields are JSON.
 * @param guardFormulas whether an apostrophe disarms texts that a spreadsheet would run as formulas
 */
export function csvStream(reads: AsyncIterable<Rows>, guardFormulas: boolean): Readable {
  return csvFile(csvCells(reads), { timeZone: '+00:00', guardFormulas, hasMark: true });
}

async function* csvCells(reads: AsyncIterable<Rows>): AsyncGenerator<Cell[]> {
  yield CSV_COLUMNS;
  for await (const rows of reads) {
    for await (const { fields, cursor } of withPauses(rows, STREAM_PAUSE)) {
      const row: Readonly<Record<string, Value>> = { ...fields, cursor };
      yield CSV_COLUMNS.map((name) => cell(row[name]));
    }
  }
}

function cell(value: Value): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
}

/** Times are dates on the wall clock of the timezone; custom fields are JSON. */
export function workbookStream(reads: AsyncIterable<Rows>, timezone: Timezone): Readable {
  // The cells already hold wall times.
  return xlsxFile(cells(reads, timezone), { sheetName: 'Conversation sessions', timeZone: '+00:00' });
}

async function* cells(reads: AsyncIterable<Rows>, timezone: Timezone): AsyncGenerator<Cell[]> {
  const columns = Object.entries(ROW_FIELDS).map(([name, { schema }]) => ({
    name,
    isTime: schema.format === 'date-time',
  }));
  yield columns.map(({ name }) => name);
  for await (const rows of reads) {
    for await (const { fields } of withPauses(rows, STREAM_PAUSE)) {
      const row = fields as Readonly<Record<string, Value>>;
      yield columns.map(({ name, isTime }) => {
        if (!isTime || !row[name]) return cell(row[name]);
        const instant = Date.parse(row[name] as string);
        return new Date(instant + timezone.offsetAt(instant));
      });
    }
  }
}

export function parquetStream(
  reads: AsyncIterable<Rows>,
  metadata: Readonly<Record<string, string>>,
): Readable {
  const file = parquetFile(oneByOne(reads), {
    columns: SESSION_COLUMNS,
    bytesOf: (fields) => JSON.stringify(fields).length,
    metadata,
    pause: () => yieldToEventLoop(STREAM_PAUSE),
  });
  return Readable.from(file, { objectMode: false });
}

/** A row group ends by the size of its rows, so they are passed on singly. */
async function* oneByOne(reads: AsyncIterable<Rows>): AsyncGenerator<SessionFields[]> {
  for await (const rows of reads) {
    for await (const { fields, conversationUpdatedAt } of withPauses(rows, STREAM_PAUSE))
      yield [{ ...fields, conversationUpdatedAt }];
  }
}

/** A row as JSON, with the one value beside it that its digest covers. */
type SessionFields = Readonly<Record<string, unknown>>;

interface FieldSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
}

/** The row's fields and all that its digest is computed from. */
const SESSION_COLUMNS: readonly ParquetColumn<SessionFields>[] = [
  ...Object.entries(ROW_FIELDS).map(([name, { schema }]) => columnOf(name, schema)),
  columnOf('conversationUpdatedAt', { type: 'string', format: 'date-time' }),
];

function columnOf(
  name: string,
  { type, format, nullable = false }: FieldSchema,
): ParquetColumn<SessionFields> {
  const isTime = format === 'date-time';
  const types: Readonly<Record<string, ParquetType>> = { integer: 'int64', object: 'json' };
  return {
    name,
    type: isTime ? 'time' : (types[type ?? ''] ?? 'text'),
    isNullable: nullable,
    valueOf: (row) => (isTime && row[name] ? new Date(row[name] as string) : row[name]),
  };
}
