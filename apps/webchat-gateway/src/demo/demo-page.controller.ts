import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@cxp/auth-headers';
import { WebchatSettings } from '../settings';

const PAGE = join(__dirname, 'page');
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src data:; connect-src 'self' wss:; frame-ancestors 'none'";

/** The files of the demo page; without an authentication, as it only runs on a developer's machine. */
@ApiExcludeController()
@Public()
@Controller('demo')
export class DemoPageController {
  constructor(private readonly settings: WebchatSettings) {}

  /** Over TLS only: a browser that trusts the page's certificate trusts that of the socket, which is the same. */
  @Get()
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.protocol === 'http') {
      const { host } = new URL(this.settings.WEBCHAT_WEBSOCKET_URL);
      await reply.redirect(`https://${host}/demo`, 302);
      return;
    }
    await reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CONTENT_SECURITY_POLICY,
      })
      .send(readFileSync(join(PAGE, 'index.html')));
  }

  @Get('style.css')
  @Header('content-type', 'text/css; charset=utf-8')
  style(): Buffer {
    return readFileSync(join(PAGE, 'style.css'));
  }

  @Get('page.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): Buffer {
    return readFileSync(join(PAGE, 'page.js'));
  }

  @Get('chat-connection.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  connection(): Buffer {
    return readFileSync(join(PAGE, 'chat-connection.js'));
  }
}
