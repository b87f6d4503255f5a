import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const MAX_BODY_BYTES = 1_000_000;

export interface RecordedExchange {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: IncomingMessage['headers'];
  /** undefined if it is not JSON, or too long */
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** undefined if it is not JSON, or too long */
  readonly responseBody: string | undefined;
}

export function recordExchanges(server: Server, onExchange: (exchange: RecordedExchange) => void): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // A copy, because services may delete headers.
    const requestHeaders = { ...request.headers };
    const requestBody = new RecordedBody();
    const push = request.push.bind(request);
    request.push = (chunk: unknown, encoding?: BufferEncoding) => {
      requestBody.add(chunk);
      return push(chunk, encoding);
    };
    const responseBody = recordWrites(response);
    response.once('finish', () => {
      const responseHeaders = sentHeaders(response);
      onExchange({
        method: request.method!,
        url: request.url!,
        requestHeaders,
        requestBody: requestBody.json(requestHeaders['content-type']),
        status: response.statusCode,
        responseHeaders,
        responseBody: responseBody.json(responseHeaders['content-type']),
      });
    });
  });
}

class RecordedBody {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  add(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const buffer = Buffer.from(chunk as string);
    this.bytes += buffer.length;
    if (this.bytes <= MAX_BODY_BYTES) this.chunks.push(buffer);
  }

  json(mediaType = ''): string | undefined {
    if (!/^application\/json\b/.test(mediaType) || this.bytes > MAX_BODY_BYTES) return undefined;
    return Buffer.concat(this.chunks).toString();
  }
}

function recordWrites(response: ServerResponse): RecordedBody {
  const body = new RecordedBody();
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...parameters: unknown[]) => never;
    response[name] = (...parameters: unknown[]) => {
      body.add(parameters[0]);
      return original(...parameters);
    };
  }
  return body;
}

/** `getHeaders` lacks the headers of `writeHead`. */
function sentHeaders(response: ServerResponse): Record<string, string> {
  const [, ...lines] = (response as unknown as { _header: string })._header.trim().split('\r\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^:]+): ?(.*)$/.exec(line)!;
      return [name!.toLowerCase(), value!];
    }),
  );
}
