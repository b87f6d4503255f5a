import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CxpClient, type RetryOptions } from '../src';

/** A server that answers each request with the next step; the last step answers all further ones. */
interface AnsweringServer {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage['headers'];
  }[];
  close(): Promise<void>;
}

export type Step = (response: ServerResponse) => unknown;

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body));
}

export function text(status: number, content: string, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, headers).end(content);
}

export function reset(): Step {
  return (response) => response.socket!.resetAndDestroy();
}

/** The beginning of a body; then the connection is cut, or silent. */
export function beginning({ cut }: { cut: boolean }): Step {
  return (response) => {
    response.writeHead(200).write('{"items":[', () => cut && response.socket!.destroy());
  };
}

/** A body in pieces, with a pause before each. */
export function slowly(body: unknown, pieces: number, pauseMs: number): Step {
  return async (response) => {
    const text = JSON.stringify(body);
    const length = Math.ceil(text.length / pieces);
    response.writeHead(200).flushHeaders();
    for (let start = 0; start < text.length; start += length) {
      await sleep(pauseMs);
      response.write(text.slice(start, start + length));
    }
    response.end();
  };
}

/** Lines of NDJSON; cut after them unless they are the whole body. */
export function lines(rows: readonly object[], { cut = false, rest = '' } = {}): Step {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    response.write(rows.map((row) => `${JSON.stringify(row)}\n`).join('') + rest, () => {
      if (cut) response.socket!.destroy();
      else response.end();
    });
  };
}

async function answeringServer(...steps: Step[]): Promise<AnsweringServer> {
  const requests: AnsweringServer['requests'] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const step = steps[Math.min(requests.length, steps.length - 1)]!;
    requests.push({ method: method!, url: url!, headers });
    request.resume().on('end', () => step(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The server of the test. */
export let server: AnsweringServer;
afterEach(() => server.close());

/** Starts a server that answers with these steps, and a client of it. */
export async function client(
  steps: Step[],
  retry: RetryOptions = {},
  timeoutMs?: number,
): Promise<CxpClient> {
  server = await answeringServer(...steps);
  const { url } = server;
  return new CxpClient({
    organizationId: 'acme',
    token: 'cxp_1',
    urls: { webchat: url, contactCenter: url, survey: url },
    retry,
    timeoutMs,
  });
}
