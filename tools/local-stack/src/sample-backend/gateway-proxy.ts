import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Does what an ingress does in front of webchat-gateway: TLS ends in the server that calls it, and the decrypted
 * requests and sockets go on to the service as they are.
 */
export class GatewayProxy {
  private readonly sockets = new Set<Duplex>();

  /** @param gateway the URL of webchat-gateway, without TLS */
  constructor(private readonly gateway: URL) {}

  /** Forwards a request and its answer. If the service can't be reached, the answer is a 502. */
  forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url: path } = request;
    const { hostname, port } = this.gateway;
    const forwarded = httpRequest({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  }

  /** Forwards an upgrade to a WebSocket, and then whatever the two sides send. */
  forwardUpgrade({ method, url, headers }: IncomingMessage, client: Duplex, head: Buffer): void {
    const service = connect(Number(this.gateway.port), this.gateway.hostname);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    service.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    service.write(head);
    client.pipe(service).pipe(client);
    this.sockets.add(client);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    client.on('close', () => this.sockets.delete(client));
  }

  /** Cuts every forwarded socket. */
  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
