import { Controller, Get, Inject, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ChangeAnswers, ChangesQuery, CURSOR_PROBLEMS } from '@cxp/change-feed';
import { ConcurrencyLimit, ThrottledBy } from '@cxp/rate-limit';
import { ApiProblems } from '@cxp/service-kit';
import { instantsOf } from '../calendar/day-window';
import {
  ListResponseDigestsQuery,
  RESPONSE_CHANGE_FORMAT,
  ResponseChangePageResponse,
  ResponseDigestsResponse,
} from './response-change.dto';
import type { FeedRow } from '../responses/response-fields';
import { ResponseDigestReadModel, TOO_MANY_DAYS } from './response-digest.read-model';
import { SurveySettings } from '../settings';

@ApiTags('Survey responses')
@Controller('external')
export class ResponseChangeController {
  private readonly streams: ConcurrencyLimit;

  constructor(
    @Inject(ChangeAnswers) private readonly answers: ChangeAnswers<FeedRow>,
    private readonly digests: ResponseDigestReadModel,
    private readonly authenticator: Authenticator,
    settings: SurveySettings,
  ) {
    this.streams = new ConcurrencyLimit({
      perOrganization: settings.SURVEY_EXPORTS_PER_ORGANIZATION,
      total: settings.SURVEY_EXPORTS_AT_ONCE,
    });
  }

  @Get('survey-response-changes')
  @RequirePermission('$survey_response:list')
  @ThrottledBy('CHANGES')
  @ApiOperation({
    operationId: 'listResponseChanges',
    summary: 'List changes of survey responses',
    description:
      'Every change of a response of the organization since the cursor, in the order of commits: `upsert` for a response ' +
      'that appeared or changed, `delete` for one that disappeared. Only the last change of each response is listed. ' +
      'It holds every response, whatever the status of its campaign. Apply the items in order, store `next_cursor` with them, and continue with it: if ' +
      '`has_more` is false, the copy is complete. Ignore a `delete` of a response that the copy does not hold. After a 410, ' +
      'compare digests and go on from their `cursor`, or start again without one. With `Accept: application/x-ndjson` all changes are streamed, each with a `cursor`, and then a line ' +
      'with `op` `end`, `change` and `cursor`; `limit` and `wait` do not apply.',
  })
  @ApiExtraModels(ResponseChangePageResponse)
  @ApiOkResponse({
    description: 'One page, or, with `Accept: application/x-ndjson`, all changes after the cursor.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ResponseChangePageResponse) } },
      'application/x-ndjson': {
        schema: {
          type: 'string',
          description:
            'One item per line, with its `cursor`; at last `{"op": "end", "change": …, "cursor": …}`.',
        },
      },
    },
  })
  @ApiProblems(CURSOR_PROBLEMS)
  listChanges(
    @OrganizationId() organizationId: string,
    @Query() query: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    const { authenticator, streams } = this;
    const call = { organizationId, request, reply, authenticator, streams };
    return this.answers.changes(call, query, () => RESPONSE_CHANGE_FORMAT);
  }

  @Get('survey-response-digests')
  @RequirePermission('$survey_response:list')
  @ThrottledBy('CHANGES')
  @ApiOperation({
    operationId: 'listResponseDigests',
    summary: 'List digests of survey responses',
    description:
      'For each campaign and day (UTC+7) of the window that holds responses: how many, and the XOR of their digests. A copy ' +
      'that was read up to `change` is right if its own rows give the same. After a 410 of the changes, read the days that differ (campaign and day, in the list of responses), ' +
      'remove what they no longer have, and go on from `cursor`. A window with too many days of campaigns is a 422 of type ' +
      '`too_large`, whose message names the limit: ask for its halves.',
  })
  @ApiOkResponse({ type: ResponseDigestsResponse, description: 'The digests of one snapshot.' })
  @ApiProblems({
    'missing or invalid parameters': {
      code: 'invalid',
      items: [{ loc: ['query', 'start_date'], msg: 'Field required', type: 'missing' }],
    },
    'too much in the window': { code: 'invalid', items: [TOO_MANY_DAYS] },
  })
  async listDigests(
    @OrganizationId() organizationId: string,
    @Query() query: ListResponseDigestsQuery,
  ): Promise<ResponseDigestsResponse> {
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const window = { campaignId: query.survey_campaign_id, ...instants };
    return this.answers.digests(organizationId, () => this.digests.ofDays(organizationId, window));
  }
}
