import { applyDecorators } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiSurvey } from '../api-survey';
import { WINDOW_PROBLEMS } from '../responses/response.openapi';
import type { ExportMediaType } from './export-formats';

const COLUMNS =
  'Response ID, Timestamp sent, Timestamp sending failed, Timestamp opened, Timestamp answered, Customer name, Customer ' +
  'phone, Customer email, Distribution channel, Transaction ID, Campaign ID, Campaign Name, Touchpoints, Tags; then a ' +
  'column for each question (`Question 12: title`; for matrix and ranking questions one for each row or option, ' +
  '`Question 14 - 2: title - row title`); then one for each metadata variable. Times are `YYYY-MM-DD HH:mm:ss` in UTC+7, ' +
  'lists are joined with `|`, a missing value is an empty cell.';

/** A row by column name, in the order of the columns. */
const ROW = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'null'] },
  example: {
    'Response ID': '0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11',
    'Timestamp sent': '2026-11-19 09:00:00',
    'Timestamp sending failed': null,
    'Question 12: Anh/chị hài lòng với dịch vụ ở mức nào?': 'Rất hài lòng',
    'Question 14 - 2: Đánh giá từng mục - Giá cả': 'Tốt',
    'Question 15 - 1: Xếp hạng theo mức quan trọng - Giá cả': 2,
    store: 'Hà Nội 01',
  },
};

const CONTENTS: Readonly<Record<ExportMediaType, { schema: object; example?: unknown }>> = {
  'text/csv; charset=utf-16le': {
    schema: {
      type: 'string',
      format: 'binary',
      description:
        'The default: tab-separated, UTF-16LE after its byte order mark, double quotes where needed, CRLF. Cells that a ' +
        'spreadsheet would run as a formula begin with an apostrophe.',
    },
  },
  'text/csv; charset=utf-8': {
    schema: { type: 'string', description: 'Comma-separated (RFC 4180), UTF-8 without a byte order mark.' },
    example: 'Response ID,Timestamp sent\r\n0b0f8f0e-0f54-4ac7-8a3c-1d3f6a1d9b11,2026-11-19 09:00:00\r\n',
  },
  'application/json': {
    schema: {
      type: 'object',
      required: ['items'],
      properties: { items: { type: 'array', items: ROW } },
    },
  },
  'application/x-ndjson': {
    schema: { type: 'string', description: 'One row on each line, as a JSON object of column to value.' },
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    schema: { type: 'string', format: 'binary', description: 'A workbook with one sheet.' },
  },
};

export function ApiExportResponses(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Export survey responses',
      description:
        `A file with one row per response, in the order of the list, or with \`cursor\` in that of changes. Columns: ${COLUMNS} ` +
        'At most 5000 rows, the earliest ones; of a longer window, the last 90 days. The `X-` headers say what was left ' +
        'out. `Accept` asks for another format; whoever takes several equally gladly gets the file. There is no request body.',
    }),
    ApiOkResponse({
      description: 'The export. A failure midway cuts the connection off before the end.',
      content: CONTENTS,
      headers: {
        'X-Total-Count': headerOf('integer', 'Responses in the window, exported or not'),
        'X-Export-Truncated': headerOf('boolean', 'Whether the limit of 5000 rows left some out'),
        'X-Export-Start-Date': headerOf('string', 'The first day that was used, moved or not'),
        'X-Export-Next-Cursor': headerOf('string', 'Only when `cursor` was sent: that of the next call'),
        'content-disposition': headerOf('string', 'The name of the file, of those formats that are files'),
      },
    }),
    ApiSurvey(WINDOW_PROBLEMS),
  );
}

function headerOf(type: 'boolean' | 'integer' | 'string', description: string) {
  return { description, schema: { type } };
}
