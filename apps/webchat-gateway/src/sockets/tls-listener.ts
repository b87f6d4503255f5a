import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WebchatSettings } from '../settings';

/**
 * Listens with TLS too, where no ingress does it, so that `wss` URLs work as they are. It only decrypts: what
 * comes out is a connection of the service's own server, with the limits that all of them have.
 */
@Injectable()
export class TlsListener implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly settings: WebchatSettings,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | undefined)?.port;
  }

  /** @throws when the files can't be read or the port is taken */
  async onApplicationBootstrap(): Promise<void> {
    const { WEBCHAT_TLS_CERT, WEBCHAT_TLS_KEY, WEBCHAT_TLS_PORT, LISTEN_HOST } = this.settings;
    if (!WEBCHAT_TLS_CERT || !WEBCHAT_TLS_KEY) return;
    const plain = this.adapterHost.httpAdapter.getHttpServer() as HttpServer;
    this.server = createServer(
      {
        cert: readFileSync(WEBCHAT_TLS_CERT),
        key: readFileSync(WEBCHAT_TLS_KEY),
        ALPNProtocols: ['http/1.1'],
      },
      (socket) => plain.emit('connection', socket),
    );
    this.server.listen(WEBCHAT_TLS_PORT, LISTEN_HOST);
    await once(this.server, 'listening');
  }

  beforeApplicationShutdown(): void {
    this.server?.close();
  }
}
