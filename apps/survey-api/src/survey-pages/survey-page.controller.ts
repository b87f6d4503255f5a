import type { Readable } from 'node:stream';
import { Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@cxp/auth-headers';
import { ProblemError } from '@cxp/error-envelopes';
import { languageOf } from './page-language';
import { PageLimitGuard } from './page-limit.guard';
import { readSubmission } from './submission-body';
import type { SubmissionResponse } from './survey-page.dto';
import { SurveyPageService } from './survey-page.service';
import { PAGE_SCRIPT } from './view/document';

/** The pages that survey links lead to. They need no token: the public id of the link is the permission. */
@ApiExcludeController()
@Public()
@Controller('s')
export class SurveyPageController {
  constructor(private readonly pages: SurveyPageService) {}

  @Get('assets/:name')
  script(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (name !== PAGE_SCRIPT.name) throw new ProblemError({ code: 'route_not_found' });
    void reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    return PAGE_SCRIPT.text;
  }

  @Get(':publicId')
  @UseGuards(PageLimitGuard)
  page(
    @Param('publicId') publicId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Readable> {
    void reply.header('content-type', 'text/html; charset=utf-8');
    return this.pages.page(publicId, languageOf(request));
  }

  @Post(':publicId/responses')
  @HttpCode(200)
  @UseGuards(PageLimitGuard)
  async submit(
    @Param('publicId') publicId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Readable | SubmissionResponse> {
    const submission = await readSubmission(request);
    if (submission.kind === 'json') return this.pages.submitJson(publicId, submission.body);
    const answer = await this.pages.submitForm(publicId, submission.fields, languageOf(request));
    void reply.status(answer.status).header('content-type', 'text/html; charset=utf-8');
    if (answer.status === 422) void reply.header('x-error-code', 'invalid_request');
    return answer.html;
  }
}
