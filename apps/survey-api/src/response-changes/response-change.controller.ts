import { Controller, Get, Inject, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ChangeAnswers, ChangesQuery } from '@cxp/change-feed';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { answerInPieces } from '@cxp/service-kit';
import { instantsOf } from '../calendar/day-window';
import { ListResponseDigestsQuery } from './response-change.dto';
import { ApiListResponseChanges, ApiListResponseDigests } from './response-change.openapi';
import { RESPONSE_CHANGE_FORMAT } from './response-change-format';
import type { FeedRow } from '../responses/response-feed';
import { ResponseDigestReadModel } from './response-digest.read-model';
import { SurveySettings } from '../settings';

@ApiTags('Survey responses')
@Controller('external')
export class ResponseChangeController {
  private readonly streams: ConcurrencyLimit;

  constructor(
    @Inject(ChangeAnswers) private readonly answers: ChangeAnswers<FeedRow>,
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
  @ApiListResponseChanges()
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
  @ApiListResponseDigests()
  listDigests(
    @OrganizationId() organizationId: string,
    @Query() query: ListResponseDigestsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const window = { campaignId: query.survey_campaign_id, ...instants };
    const pieces = this.answers.digests(organizationId, (manager) =>
      new ResponseDigestReadModel(manager).ofDays(organizationId, window),
    );
    return answerInPieces(pieces, request, reply);
  }
}
