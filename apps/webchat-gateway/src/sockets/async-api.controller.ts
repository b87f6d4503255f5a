import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@cxp/auth-headers';
import { WebchatSettings } from '../settings';
import { asyncApiDocument } from './async-api-document';

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
