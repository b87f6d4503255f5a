import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { TSchema } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@cxp/auth-headers';
import { StaticFile } from '@cxp/service-kit';
import { WebchatSettings } from '../settings';
import { CLIENT_FRAMES } from './client-frames';
import { EXPIRY_WARNING_SECONDS, MAX_FRAME_BYTES, MAX_FRAME_VALUES, MAX_WAITING_FRAMES } from './limits';
import { CLOSE_REASONS, SERVER_FRAMES } from './server-frames';

const CHANNEL = '#/channels/conversation';

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

/** AsyncAPI describes the service's side: it receives what clients send. */
export function asyncApiDocument(websocketUrl: string): object {
  const { host, pathname } = new URL(websocketUrl);
  const received = messagesOf('client', CLIENT_FRAMES);
  const sent = messagesOf('server', SERVER_FRAMES);
  return {
    asyncapi: '3.0.0',
    info: { title: 'Webchat conversations', version: '1', description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: {
      webchat: {
        host,
        protocol: 'wss',
        pathname,
        security: ['subprotocol', 'header'].map((name) => ({
          $ref: `#/components/securitySchemes/${name}`,
        })),
      },
    },
    channels: {
      conversation: {
        address: '/{sessionId}',
        title: 'The conversation of a session',
        description: CLOSE_CODES,
        parameters: {
          sessionId: { description: '`sessionId` of the session; `websocketUrl` holds it already.' },
        },
        messages: Object.fromEntries(
          [...Object.keys(received), ...Object.keys(sent)].map((name) => [
            name,
            { $ref: `#/components/messages/${name}` },
          ]),
        ),
        bindings: {
          ws: {
            bindingVersion: '0.1.0',
            method: 'GET',
            query: {
              type: 'object',
              properties: {
                lastEvent: {
                  type: 'integer',
                  minimum: 0,
                  description:
                    '`event` of the last event that the client has: the server sends all later events first.',
                },
              },
            },
          },
        },
      },
    },
    operations: {
      receiveFrames: operation('receive', 'Frames of the customer', received),
      sendFrames: operation('send', 'Frames for the customer', sent),
    },
    components: {
      messages: { ...received, ...sent },
      securitySchemes: {
        subprotocol: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Sec-WebSocket-Protocol',
          description: 'Browsers: `new WebSocket(websocketUrl, ["webchat.v1", "bearer." + sessionToken])`.',
        },
        header: {
          type: 'http',
          scheme: 'bearer',
          description: 'Servers: `authorization: Bearer <sessionToken>`.',
        },
      },
    },
  };
}

const DESCRIPTION = `The customer's side of a conversation, over the \`websocketUrl\` of a session. The session token is part of the
upgrade, never of the URL: without one, or with one that is wrong, expired or of another session, the upgrade is refused with 401. ${EXPIRY_WARNING_SECONDS} seconds before the token expires the server sends \`session.expiring\`: refresh the token and send
it in an \`authenticate\` frame. After a lost connection, connect with \`?lastEvent=<the last event number>\`: the server sends the missed
events first, in order, and then the new ones. If a message was not acknowledged, send it again with the same \`clientId\`: it
is stored once. A frame of a client has at most ${MAX_FRAME_BYTES / 1_024} KiB, and ${MAX_FRAME_VALUES} members and elements in all. Of the
sockets of a session the server acts on so many frames a second as it allows: the others wait, at most ${MAX_WAITING_FRAMES.toLocaleString('en')} of a socket.`;

const CLOSE_CODES = [
  'The server closes with one of these codes:',
  '',
  ...Object.values(CLOSE_REASONS).map(({ code, reason }) => `- ${code}: ${reason}`),
].join('\n');

function messagesOf(side: string, frames: Readonly<Record<string, TSchema>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(frames).map(([type, { description: summary, ...payload }]) => [
      `${side}.${type}`,
      { name: type, title: type, summary, payload },
    ]),
  );
}

function operation(action: 'send' | 'receive', title: string, messages: Record<string, object>): object {
  return {
    action,
    title,
    channel: { $ref: CHANNEL },
    messages: Object.keys(messages).map((name) => ({ $ref: `${CHANNEL}/messages/${name}` })),
  };
}
