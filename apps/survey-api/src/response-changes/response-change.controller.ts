import { Readable } from 'node:stream';
import { Controller, Get, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator, OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ChangesQuery } from '@cxp/change-feed';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { answerInPieces, liftDeadline, pauseDeadline, preferredMediaType } from '@cxp/service-kit';
import { instantsOf } from '../calendar/day-window';
import { ListResponseDigestsQuery } from './response-change.dto';
import { ApiListResponseChanges, ApiListResponseDigests } from './response-change.openapi';
import { ResponseChangeService } from './response-change.service';
import { SurveySettings } from '../settings';

const MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const;

@ApiTags('Survey responses')
@Controller('external')
export class ResponseChangeController {
  /** Streams are as long as exports, and their clients as slow. */
  private readonly streams: ConcurrencyLimit;

  constructor(
    private readonly changes: ResponseChangeService,
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
  async listChanges(
    @OrganizationId() organizationId: string,
    @Query() { cursor, limit, wait }: ChangesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    void reply.header('vary', 'Accept');
    if (preferredMediaType(request, MEDIA_TYPES) === 'application/x-ndjson') {
      this.streams.holdUntilClosed(organizationId, reply.raw);
      const lines = await this.changes.stream(organizationId, cursor);
      liftDeadline(request);
      return new StreamableFile(Readable.from(lines, { objectMode: false }), {
        type: 'application/x-ndjson',
      });
    }
    const client = new AbortController();
    reply.raw.once('close', () => client.abort());
    const pieces = this.changes.page(organizationId, {
      cursor,
      limit,
      waitMs: wait * 1_000,
      signal: client.signal,
      whileWaiting: (waiting) => pauseDeadline(request, waiting),
      confirmAccess: () => this.authenticator.confirmAccess(request),
    });
    return answerInPieces(pieces, request, reply);
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
    return answerInPieces(this.changes.digests(organizationId, window), request, reply);
  }
}
