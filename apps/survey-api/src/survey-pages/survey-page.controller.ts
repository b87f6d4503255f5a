import { Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@cxp/auth-headers';
import { ProblemError } from '@cxp/error-envelopes';
import { ThrottledBy } from '@cxp/rate-limit';
import { Signal } from '@cxp/service-kit';
import { chosenLanguage } from './page-texts';
import { receiveForm } from './form-fields';
import { type PageAnswer, SurveyPageService } from './survey-page.service';
import { PAGE_SCRIPT } from './view/document';

/** The pages need no token: the link's public id is the permission. */
@ApiExcludeController()
@Public()
@Controller('s')
export class SurveyPageController {
  constructor(private readonly pages: SurveyPageService) {}

  @Get('assets/:name')
  script(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    if (name !== PAGE_SCRIPT.name) throw new ProblemError({ code: 'route_not_found' });
    void reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    return PAGE_SCRIPT.text;
  }

  @Get(':publicId')
  @ThrottledBy('SURVEY_PUBLIC_VIEW')
  async page(
    @Param('publicId') publicId: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() stop: AbortSignal,
  ): Promise<string | Buffer> {
    return send(await this.pages.page(publicId, chosenLanguage(request), query, stop), reply);
  }

  @Get(':publicId/logo')
  @ThrottledBy('SURVEY_PUBLIC_VIEW')
  async logo(
    @Param('publicId') publicId: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const { type, bytes } = await this.pages.logo(publicId);
    void reply.headers({ ...PICTURE_HEADERS, 'content-type': type });
    return bytes;
  }

  @Get(':publicId/qr.svg')
  @ThrottledBy('SURVEY_PUBLIC_VIEW')
  async qrCode(
    @Param('publicId') publicId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const picture = await this.pages.qrCode(publicId, chosenLanguage(request));
    if (typeof picture !== 'string') return send(picture, reply);
    void reply.headers({ ...PICTURE_HEADERS, 'content-type': 'image/svg+xml' });
    return picture;
  }

  /** A page without JavaScript posts here to change its language. */
  @Post(':publicId')
  @HttpCode(200)
  @ThrottledBy('SURVEY_PUBLIC_VIEW')
  async translate(
    @Param('publicId') publicId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() stop: AbortSignal,
  ): Promise<string | Buffer> {
    const form = await receiveForm(request);
    return send(await this.pages.translate(publicId, form, chosenLanguage(request), stop), reply);
  }

  @Post(':publicId/responses')
  @HttpCode(200)
  @ThrottledBy('SURVEY_PUBLIC_ADDRESS')
  async submit(
    @Param('publicId') publicId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Signal() stop: AbortSignal,
  ): Promise<string | Buffer> {
    const form = await receiveForm(request);
    return send(await this.pages.submit(publicId, form, chosenLanguage(request), stop), reply);
  }
}

/** Pictures run and load nothing, even opened on their own. Emails and other sites may embed them. */
const PICTURE_HEADERS = {
  'cache-control': 'public, max-age=3600',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

const ERROR_CODES: Readonly<Record<number, string>> = { 410: 'gone', 422: 'invalid_request' };

function send({ status, html, policy }: PageAnswer, reply: FastifyReply): string | Buffer {
  void reply.status(status).header('content-type', 'text/html; charset=utf-8');
  if (policy) void reply.header('content-security-policy', policy);
  const code = ERROR_CODES[status];
  if (code) void reply.header('x-error-code', code);
  return html;
}
