import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';

/** A hint as it arrives. */
export interface ReceivedHint {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly change: number;
}

type Answer = (hint: ReceivedHint, response: ServerResponse, request: IncomingMessage) => void;

/** An endpoint over TLS, with a certificate of its own. */
export interface HintReceiver {
  /** Of `localhost`. */
  readonly url: string;
  readonly port: number;
  /** The certificate, as PEM. */
  readonly ca: string;
  /** Trusts the certificate. */
  readonly agent: Agent;
  readonly hints: ReceivedHint[];
  answer: Answer;
  close(): Promise<void>;
}

export const accept: Answer = (_hint, response) => void response.writeHead(204).end();

export const endless: Answer = (_hint, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'.repeat(1_024)), 5);
  response.on('close', () => clearInterval(timer));
};

/** What no HTTP server would send. */
export const bytes =
  (text: string): Answer =>
  (_hint, response) =>
    void response.socket!.write(text);

/** Just now, by Standard Webhooks. */
export function expectSignedWith(secrets: readonly string[], { headers, body }: ReceivedHint): void {
  const timestamp = Number(headers['webhook-timestamp']);
  expect(Math.abs(Date.now() / 1_000 - timestamp)).toBeLessThan(300);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signed = `${String(headers['webhook-id'])}.${timestamp}.${body}`;
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  expect(String(headers['webhook-signature']).split(' ').sort()).toEqual(signatures.sort());
}

export async function startReceiver(answer: Answer = accept): Promise<HintReceiver> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  const hints: ReceivedHint[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { data } = JSON.parse(body) as { data: { change: number } };
      const hint = { path: request.url!, headers: request.headers, body, change: data.change };
      hints.push(hint);
      receiver.answer(hint, response, request);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: HintReceiver = {
    url: `https://localhost:${port}`,
    port,
    ca: cert,
    agent: new Agent({ ca: cert }),
    hints,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
