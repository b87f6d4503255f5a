import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Does what an ingress does in front of webchat-gateway: TLS ends in the server that calls it, and the decrypted
 * requests and sockets go on to the service as they are.
 */
export class GatewayProxy {
  /** Both ends of every forwarded socket, and the session that it is of. */
  private readonly sockets = new Map<Duplex, string>();
  private readonly unplugged = new Set<string>();

  /** @param gateway the URL of webchat-gateway, without TLS */
  constructor(private readonly gateway: URL) {}

  /** Forwards a request and its answer. If the service can't be reached, the answer is a 502. */
  forward(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url } = request;
    const forwarded = httpRequest(new URL(url ?? '/', this.gateway), { method, headers }, (answer) => {
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
  forwardUpgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const sessionId = sessionIdOf(request);
    if (this.unplugged.has(sessionId)) {
      client.destroy();
      return;
    }
    const service = connect(Number(this.gateway.port), this.gateway.hostname, () => {
      service.write(requestHead(request));
      service.write(head);
      client.pipe(service).pipe(client);
    });
    this.endTogether(client, service, sessionId);
  }

  /** Cuts every forwarded socket. */
  close(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  /** Cuts the sockets of a session as a network does, without a farewell, and lets none through until `plug`. */
  unplug(sessionId: string): void {
    this.unplugged.add(sessionId);
    for (const [socket, its] of this.sockets) if (its === sessionId) socket.destroy();
  }

  plug(sessionId: string): void {
    this.unplugged.delete(sessionId);
  }

  private endTogether(client: Duplex, service: Socket, sessionId: string): void {
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.sockets.set(one, sessionId);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}

/** The path of a `websocketUrl` ends in it. */
function sessionIdOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0]!.split('/').at(-1)!;
}

function requestHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
