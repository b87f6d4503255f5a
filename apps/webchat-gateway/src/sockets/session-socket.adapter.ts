import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { INestApplication } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from './socket-limits';
import { chooseSubprotocol, readSocketRequest } from './socket-request';

/**
 * Nest's adapter for ws, with two differences: sockets are opened below a path instead of at it, and what they send is
 * left to the gateway, which acts on frames one after the other and has limits.
 */
export class SessionSocketAdapter extends WsAdapter {
  constructor(
    private readonly app: INestApplication<Server>,
    private readonly path: string,
  ) {
    super(app);
  }

  override create(): WebSocketServer {
    const server = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_FRAME_BYTES,
      handleProtocols: chooseSubprotocol,
      // Frames are small; a deflate window for each socket would cost more memory than all the rest.
      perMessageDeflate: false,
    });
    this.app.getHttpServer().on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (!readSocketRequest(request, this.path)) {
        stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, stream, head, (client) => server.emit('connection', client, request));
    });
    return server;
  }

  override bindMessageHandlers(): void {}
}
