import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@cxp/auth-headers';
import { asyncApiDocument } from '../chat-protocol/async-api-document';
import { WebchatSettings } from '../settings';

@ApiExcludeController()
@Public()
@Controller('docs/asyncapi.json')
export class AsyncApiController {
  constructor(private readonly settings: WebchatSettings) {}

  @Get()
  document(): object {
    return asyncApiDocument(this.settings.WEBCHAT_WEBSOCKET_URL);
  }
}
