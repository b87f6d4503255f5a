import { once } from 'node:events';
import { createServer, STATUS_CODES, type Server } from 'node:http';
import type { Envelope } from '@cxp/error-envelopes';
import { requestId } from './http/request-id';

/** How long an answer may still be under way when the service takes over, in milliseconds. */
const LINGER_MS = 100;

/**
 * Answers in a service's place while the service waits for its stores: it is alive, is not ready, and answers `Retry-After`.
 */
export class StartingServer {
  private constructor(private readonly server: Server) {}

  /** @throws when the port is taken */
  static async listen(envelope: Envelope, port: number, host: string): Promise<StartingServer> {
    const unavailable = envelope({ code: 'dependency_unavailable' });
    const server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0];
      const { status, body, headers } =
        path === '/health/live'
          ? { status: 200, body: { status: 'ok' }, headers: {} }
          : path === '/health/ready'
            ? {
                status: 503,
                body: { ready: false, pid: process.pid, checks: { start: 'down' } },
                headers: {},
              }
            : unavailable;
      response.writeHead(status, STATUS_CODES[status], {
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        'x-request-id': requestId(request),
        'x-content-type-options': 'nosniff',
        connection: 'close',
      });
      response.end(JSON.stringify(body));
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new StartingServer(server);
  }

  /** Makes room for the service. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    // A client that sends nothing must not hold up the start.
    const cut = setTimeout(() => this.server.closeAllConnections(), LINGER_MS);
    await closed;
    clearTimeout(cut);
  }
}
