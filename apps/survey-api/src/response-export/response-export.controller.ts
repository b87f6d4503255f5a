import { applyDecorators, Controller, HttpCode, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, preferredMediaType, Signal } from '@cxp/service-kit';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { MAX_CELL_CHARACTERS } from '@cxp/spreadsheet';
import { ResponseWindowQuery, RESPONSE_WINDOW_PROBLEMS } from '../responses/response.dto';
import { EXPORT_MEDIA_TYPES, type ExportMediaType } from './export-formats';
import { MAX_RESPONSES, ResponseExportService } from './response-export.service';
import { SurveySettings } from '../settings';

const COLUMNS =
  'Response ID, Timestamp sent, Timestamp sending failed, Timestamp opened, Timestamp answered, Customer name, Customer ' +
  'phone, Customer email, Distribution channel, Transaction ID, Campaign ID, Campaign Name, Touchpoints, Tags; then a ' +
  'column for each question (`Question 12: title`; for matrix and ranking questions one for each row or option, ' +
  '`Question 14 - 2: title - row title`); then one for each metadata variable. Times are `YYYY-MM-DD HH:mm:ss` in UTC+7, ' +
  'lists are joined with `|`, a missing value is an empty cell.';

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
        'The default. Tab-separated, UTF-16LE with a byte order mark, double quotes where needed, lines end with CRLF, times are in UTC+7. Read it ' +
        'as UTF-16LE, not as UTF-8. An apostrophe precedes texts that a spreadsheet would run as formulas.',
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
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    schema: {
      type: 'string',
      format: 'binary',
      description:
        'A workbook with a bold heading that filters. Texts are texts, times are dates in UTC+7, answers to questions of a metric (nps, csat, ces) that are numbers are numbers. A text of more ' +
        `than ${MAX_CELL_CHARACTERS.toLocaleString('en')} characters is cut: its cell ends with ` +
        '`… [cut: the text has n characters]`.',
    },
  },
};

function ApiExportResponses(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'exportResponses',
      summary: 'Export survey responses',
      description:
        `A file with one row per response, in the order of the list. Columns: ${COLUMNS} ` +
        `A file has at most ${MAX_RESPONSES} rows, the earliest ones. ` +
        'If the window is longer than 90 days, `start_date` is moved to 90 days before `end_date`. The `X-` headers say what was left out. `Accept` selects another format; without a ' +
        'preference the answer is the default file. There is no request body. An organization may run several exports at once; ' +
        'beyond that the answer is 429 with `Retry-After`.',
    }),
    ApiOkResponse({
      description: 'The export. If it fails after its start, the connection is cut.',
      content: CONTENTS,
      headers: {
        'X-Total-Count': headerOf(
          'integer',
          'Responses in the window, whether or not they are exported',
          true,
        ),
        'X-Export-Truncated': headerOf(
          'boolean',
          `Whether the limit of ${MAX_RESPONSES} rows left some out`,
          true,
        ),
        'X-Export-Start-Date': headerOf('string', 'The first day of the window that was used', true),
        'content-disposition': headerOf('string', 'The name of the file; not for JSON'),
      },
    }),
    ApiProblems(RESPONSE_WINDOW_PROBLEMS),
  );
}

function headerOf(type: 'boolean' | 'integer' | 'string', description: string, required = false) {
  return { description, required, schema: { type } };
}

@ApiTags('Survey responses')
@Controller('external/survey-responses/export')
export class ResponseExportController {
  private readonly limit: ConcurrencyLimit;

  constructor(
    private readonly exports: ResponseExportService,
    settings: SurveySettings,
  ) {
    this.limit = new ConcurrencyLimit({
      perOrganization: settings.SURVEY_EXPORTS_PER_ORGANIZATION,
      total: settings.SURVEY_EXPORTS_AT_ONCE,
    });
  }

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_response:export')
  @ApiExportResponses()
  async export(
    @OrganizationId() organizationId: string,
    @Query() query: ResponseWindowQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() signal: AbortSignal,
  ): Promise<StreamableFile> {
    this.limit.holdUntilClosed(organizationId, reply.raw);
    const mediaType = preferredMediaType(request, EXPORT_MEDIA_TYPES);
    const { headers, body } = await this.exports.open(organizationId, query, mediaType, signal);
    void reply.headers(headers);
    return new StreamableFile(body);
  }
}
