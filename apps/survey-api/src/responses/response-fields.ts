import type { ApiPropertyOptions } from '@nestjs/swagger';
import { canonicalWriter, type FeedDefinition, hexDigestSql, textDigest } from '@cxp/change-feed';
import { RESPONSE_SOURCES, type SurveyResponseData, utcTime } from '@cxp/records';
import { type Column, jsonColumn, nullable, type RowOf, textColumn, timeColumn } from '@cxp/storage';
import { utc } from '../calendar/day-window';
import { identifierKeys, keysOfTexts } from '@cxp/identifiers';
import type { Answers } from '../campaigns/survey-question';
import type { JsonObject } from '../json';

interface ResponseField<Sent, Stored, Read> {
  readonly column: string;
  readonly sqlType: 'timestamptz' | 'text' | 'json';
  readonly read: (sql: string) => Column<Read>;
  readonly complete: (sent: Sent | null | undefined) => Stored;
  readonly document: ApiPropertyOptions;
}

function time(column: string, description: string, example: string | null) {
  return {
    column,
    sqlType: 'timestamptz',
    read: (sql: string) => nullable(timeColumn(sql)),
    complete: utc,
    document: { type: String, format: 'date-time', nullable: true, example, description },
  } as const;
}

function text(column: string, document: ApiPropertyOptions) {
  return {
    column,
    sqlType: 'text',
    read: (sql: string) => nullable(textColumn(sql)),
    complete: (sent: string | null | undefined) => sent ?? null,
    document: { type: String, nullable: true, ...document } as ApiPropertyOptions,
  } as const;
}

function json<Value>(column: string, document: ApiPropertyOptions) {
  return {
    column,
    sqlType: 'json',
    read: (sql: string) => nullable(jsonColumn<Value>(sql)),
    complete: (sent: Value | null | undefined) => sent ?? null,
    document: {
      type: 'object',
      additionalProperties: true,
      nullable: true,
      ...document,
    } as ApiPropertyOptions,
  } as const;
}

/** The fields that C2 and the feed show beside the identifier, in this order. */
export const SHOWN_FIELDS = {
  sent_timestamp: time('sent_at', 'When the survey was sent.', '2026-11-19T02:00:00.000Z'),
  sending_failed_timestamp: time('sending_failed_at', 'When sending failed.', null),
  opened_timestamp: time('opened_at', 'When it was opened.', '2026-11-19T02:14:05.000Z'),
  answered_timestamp: time('answered_at', 'When it was answered.', '2026-11-19T02:16:41.000Z'),
  user_name: text('user_name', { example: 'Nguyễn Thị Hoa' }),
  user_phone: text('user_phone', { example: '+84 90 123 4567' }),
  user_email: text('user_email', { example: 'hoa@example.com' }),
  source: text('source', {
    enum: RESPONSE_SOURCES,
    example: 'Zalo',
    description: 'The distribution channel.',
  }),
  transaction_id: text('transaction_id', { example: 'INV-20261119-0042' }),
  metadata_mappings: json<JsonObject>('metadata_mappings', {
    example: { store: 'Hà Nội 01', cashier: 'NV-17' },
    description: 'Values by metadata variable.',
  }),
  answers: json<Answers>('answers', {
    example: {
      '11': 'Nhân viên rất nhiệt tình',
      '12': '1',
      '13': ['2', 'Khác: bãi xe'],
      '14': { '1': 'Tốt', '2': 'Rất tốt' },
      '15': { '1': 2, '2': 1 },
    },
    description:
      'By question id. text: the text; multiple_choice: the option id; checkbox: option ids; matrix: column titles by row ' +
      'id; ranking: ranks from 1 by option id. An option that has no id ("other: …") is its text.',
  }),
};

type KeyField = 'identifier' | 'survey_campaign_id';

/** A new field is a line of the records' schema, one here and a column. */
export const RESPONSE_FIELDS = {
  ...SHOWN_FIELDS,
  tags: {
    ...json<readonly string[]>('tags', {}),
    read: (sql: string) => jsonColumn<readonly string[]>(sql),
    complete: (sent: readonly string[] | null | undefined) => sent ?? [],
  },
} as const satisfies {
  readonly [Name in Exclude<keyof SurveyResponseData, KeyField>]: ResponseField<never, unknown, unknown>;
};

type Fields = typeof RESPONSE_FIELDS;

/**
 * The microseconds that a response's times lack: the earliest orders responses, the latest decides which one replaces the
 * other.
 */
export const MICROSECONDS = ['earliest_microseconds', 'latest_microseconds'] as const;

/** The stored form: uuids in lower case, times in UTC, every field present. */
export type ResponseRecord = Readonly<
  Record<KeyField, string> & Record<(typeof MICROSECONDS)[number], number>
> & {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]['complete']>;
};

const FIELDS = Object.entries(RESPONSE_FIELDS) as [keyof Fields, ResponseField<unknown, unknown, unknown>][];

export function completeResponse(sent: SurveyResponseData): ResponseRecord {
  const completed = FIELDS.map(([name, { complete }]) => [name, complete(sent[name])] as const);
  const times = TIMES.flatMap((name) => (sent[name] ? [utcTime(sent[name])] : [])).sort();
  return {
    identifier: sent.identifier.toLowerCase(),
    survey_campaign_id: sent.survey_campaign_id.toLowerCase(),
    ...Object.fromEntries(completed),
    earliest_microseconds: microsecondsOf(times.at(0)),
    latest_microseconds: microsecondsOf(times.at(-1)),
  } as ResponseRecord;
}

const TIMES = [
  'sent_timestamp',
  'sending_failed_timestamp',
  'opened_timestamp',
  'answered_timestamp',
] as const;

function microsecondsOf(time = ''): number {
  return Number(time.slice(-4, -1));
}

export type StoredResponse = RowOf<ReturnType<typeof responseColumns<keyof Fields>>>;

export type SurveyResponse = Omit<StoredResponse, 'tags'>;

type FieldColumns<Of extends keyof Fields> = {
  readonly [Name in Of]: ReturnType<Fields[Name]['read']>;
};

/** @param row the SQL alias of a row of `survey.response` */
export function responseColumns<Name extends keyof Fields>(fields: Pick<Fields, Name>, row: string) {
  const columns = Object.entries<ResponseField<never, unknown, unknown>>(fields).map(
    ([name, { column, read }]) => [name, read(`${row}.${column}`)] as const,
  );
  return {
    identifier: textColumn(`${row}.identifier`),
    ...(Object.fromEntries(columns) as FieldColumns<Name>),
  };
}

const SHOWN = Object.entries(SHOWN_FIELDS).map(([name, { column, sqlType, read }]) => ({
  name,
  isJson: sqlType === 'json',
  columnOf: (row: string): Column<unknown> => (sqlType === 'json' ? textColumn : read)(`${row}.${column}`),
}));

/** What C2 shows, with JSON as it is stored, as text. */
export function shownTextColumns(row: string) {
  return {
    identifier: textColumn(`${row}.identifier`),
    ...Object.fromEntries(SHOWN.map(({ name, columnOf }) => [name, columnOf(row)] as const)),
  };
}

export function shownJson(row: RowOf<ReturnType<typeof shownTextColumns>>): string {
  const members = SHOWN.map(({ name, isJson }) => {
    const value = row[name as keyof typeof row] as unknown;
    return `,"${name}":${isJson ? (value as string | null) : JSON.stringify(value)}`;
  });
  return `{"identifier":"${row.identifier}"${members.join('')}}`;
}

export type ShownResponse = Pick<ResponseRecord, 'identifier' | keyof typeof SHOWN_FIELDS>;

/** The time of the last event of a response. */
export const LATEST_AT = `(GREATEST(sent_at, sending_failed_at, opened_at, answered_at)
  + latest_microseconds * interval '1 microsecond')`;

/** In the form of `utcTime`; undefined without any timestamp. */
export function latestTimeOf(record: ResponseRecord): string | undefined {
  const latest = TIMES.flatMap((name) => record[name] ?? [])
    .sort()
    .at(-1);
  return latest && `${latest.slice(0, -1)}${String(record.latest_microseconds).padStart(3, '0')}Z`;
}

/** An erasure finds a response by its phone, its email, and each text in its metadata, which may be either. */
export function personKeysOf({ user_phone, user_email, metadata_mappings }: ResponseRecord): string[] {
  return [...new Set([...identifierKeys([user_phone], [user_email]), ...keysOfTexts(metadata_mappings)])];
}

export type FeedRow = RowOf<typeof FEED_ROW>;

const FEED_ROW = {
  survey_campaign_id: textColumn('row.campaign_id'),
  digest: textColumn(hexDigestSql('row.digest')),
  ...responseColumns(SHOWN_FIELDS, 'row'),
};

export const RESPONSE_FEED: FeedDefinition = {
  name: 'survey-responses',
  schema: 'survey',
  table: 'survey.response',
  columns: FEED_ROW,
  mode: 'prepared',
  bytes: 'bytes',
};

export function feedKey(identifier: string): string {
  return `'{"identifier":"' || ${identifier} || '"}'`;
}

const canonicalRow = canonicalWriter<ResponseRecord>([
  'identifier',
  ...(Object.keys(SHOWN_FIELDS) as (keyof typeof SHOWN_FIELDS)[]),
]);

/** Clients compute the same digest. */
export function responseDigest(record: ResponseRecord): string {
  const { identifier, survey_campaign_id } = record;
  return textDigest(
    `{"key":{"identifier":"${identifier}"},"row":${canonicalRow(record)},"survey_campaign_id":"${survey_campaign_id}"}`,
  ).toString();
}
