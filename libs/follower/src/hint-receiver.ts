import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyHint } from '@cxp/client';

/** A hint has a few hundred bytes. */
const MAX_BODY_BYTES = 4_096;

/** Milliseconds until a follower reads without a hint. */
const WITHOUT_HINT_MS = 600_000;

/** HTTP only: a proxy ends TLS. */
export class HintReceiver {
  private isHinted = false;
  private wake: () => void = () => undefined;
  private readonly server: Server;

  private constructor(private readonly secret: string) {
    this.server = createServer((request, response) => {
      void this.receive(request).then((status) => response.writeHead(status).end());
    });
  }

  static async listen(port: number, secret: string): Promise<HintReceiver> {
    const receiver = new HintReceiver(secret);
    receiver.server.listen(port);
    await once(receiver.server, 'listening');
    return receiver;
  }

  /**
   * Resolves after a hint since the last call.
   * @param milliseconds the longest wait
   */
  async next(milliseconds = WITHOUT_HINT_MS): Promise<void> {
    const stop = new AbortController();
    const hinted = this.isHinted ? undefined : new Promise<void>((resolve) => (this.wake = resolve));
    await Promise.race([hinted, sleep(milliseconds, undefined, stop).catch(() => undefined)]);
    stop.abort();
    this.isHinted = false;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async receive(request: IncomingMessage): Promise<number> {
    try {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes > MAX_BODY_BYTES) return 413;
      }
      await verifyHint(request.headers, Buffer.concat(chunks).toString('utf8'), this.secret);
    } catch {
      return 401;
    }
    this.isHinted = true;
    this.wake();
    return 204;
  }
}
