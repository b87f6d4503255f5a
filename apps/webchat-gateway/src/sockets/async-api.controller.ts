import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@cxp/auth-headers';
import { StaticFile } from '@cxp/service-kit';
import { asyncApiDocument } from '../chat-protocol/async-api-document';
import { WebchatSettings } from '../settings';

@ApiExcludeController()
@Public()
@Controller('docs/asyncapi.json')
export class AsyncApiController {
  private readonly document: StaticFile;

  constructor({ WEBCHAT_WEBSOCKET_URL }: WebchatSettings) {
    this.document = new StaticFile({
      type: 'application/json',
      text: () => JSON.stringify(asyncApiDocument(WEBCHAT_WEBSOCKET_URL)),
    });
  }

  @Get()
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.document.answer(request, reply);
  }
}
