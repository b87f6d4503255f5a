import { ApiError, apiError, ConnectionError, CxpError } from '../errors';
import { ndjsonLines } from './ndjson';
import { RetryPolicy, sleep, type RetryOptions } from './retry';

const DEFAULT_TIMEOUT_MS = 30_000;

export interface HttpOptions {
  /** Base URL of the service; without it every call fails. */
  readonly url: string | undefined;
  /** The name of the service in errors. */
  readonly area: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry?: RetryOptions;
  /**
   * How long a connection may be silent, before an answer and between pieces of its body, in milliseconds. The body of an NDJSON stream has
   * no limit. Default: 30,000.
   */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined;

export interface HttpRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** Values that are null, undefined or an empty array are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Added to the time that the headers may take. */
  readonly waitMs?: number;
  /** If false, the request is sent again only if it was refused before anything was applied. */
  readonly isRepeatable?: boolean;
}

/** Reads what is needed of an answer. `onPiece` restarts the limit of silence. */
type Read<Result> = (response: Response, onPiece: () => void) => Promise<Result>;

/** What every call of the client accepts. */
export interface CallOptions {
  /** Ends the call: it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Sends the requests of one service: headers, retries, errors. */
export class HttpClient {
  readonly retryPolicy: RetryPolicy;

  constructor(private readonly options: HttpOptions) {
    this.retryPolicy = new RetryPolicy(options.retry);
  }

  /** @throws ApiError, ConnectionError */
  async json<Body>(request: HttpRequest): Promise<Body> {
    return (await this.jsonWithHeaders<Body>(request)).body;
  }

  /** @throws ApiError, ConnectionError */
  async jsonWithHeaders<Body>(request: HttpRequest): Promise<{ body: Body; headers: Headers }> {
    const { bytes, headers } = await this.bytes(request);
    return { body: JSON.parse(decoded(bytes)) as Body, headers };
  }

  /** The whole body of an answer. @throws ApiError, ConnectionError */
  async bytes(request: HttpRequest): Promise<{ bytes: ArrayBuffer; headers: Headers }> {
    return this.send(request, async (response, onPiece) => ({
      bytes: await readAll(response, onPiece),
      headers: response.headers,
    }));
  }

  /**
   * The lines of an NDJSON answer as they arrive. Leaving the loop closes the connection.
   * @throws ApiError; ConnectionError if the connection is cut before the end
   */
  async ndjson<Line>(request: HttpRequest): Promise<{ lines: AsyncGenerator<Line>; headers: Headers }> {
    return this.send({ accept: 'application/x-ndjson', ...request }, async ({ body, headers }) => ({
      lines: ndjsonLines<Line>(body, request.signal),
      headers,
    }));
  }

  /** Resolves to what `read` makes of a successful answer; if the connection is lost meanwhile, the request is sent again. */
  private async send<Result>(request: HttpRequest, read: Read<Result>): Promise<Result> {
    const { signal, isRepeatable = true } = request;
    for (let retries = 0; ; retries += 1) {
      let retryAfter: string | null = null;
      try {
        return await this.attempt(request, async (response, onPiece) => {
          if (response.ok) return read(response, onPiece);
          retryAfter = response.headers.get('retry-after');
          throw apiError(response.status, await errorBody(response, onPiece), response.headers);
        });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const mayRepeat = isRepeatable || wasRefused(error);
        const delayMs = mayRepeat ? this.retryPolicy.delayMs(error, retries, retryAfter) : undefined;
        if (delayMs === undefined) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  /** @throws ConnectionError if the connection is lost or silent before `read` has ended */
  private async attempt<Result>(
    { method = 'GET', path, query, body, accept, signal, waitMs = 0 }: HttpRequest,
    read: Read<Result>,
  ): Promise<Result> {
    const { url, area, headers, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = this.options;
    if (url === undefined) throw new CxpError(`urls.${area} is not set`);
    // AbortSignal.any() would leave an entry of each call in a signal that lasts as long as a follower.
    const call = new AbortController();
    const end = () => call.abort(signal?.reason);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restartTimer = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => call.abort(new Error(`no answer within ${ms} ms`)), ms);
    };
    restartTimer(timeoutMs + waitMs);
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}${path}${queryString(query)}`, {
        method,
        headers: {
          ...headers,
          ...(accept !== undefined && { accept }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        // The API has none, and another host must not be given what is sent.
        redirect: 'manual',
        signal: call.signal,
      });
      restartTimer(timeoutMs);
      return await read(response, () => restartTimer(timeoutMs));
    } catch (error) {
      throw error instanceof ApiError ? error : connectionError(method, path, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

/** Whether nothing of the request was applied. A 503 may come after a part of it. */
function wasRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.code === 'overloaded');
}

function connectionError(method: string, path: string, cause: unknown): ConnectionError {
  const { message, cause: inner } = cause as Error & { cause?: { message?: string; code?: string } };
  return new ConnectionError(`${method} ${path}: ${inner?.message || inner?.code || message}`, { cause });
}

/** @param onPiece is called whenever a piece of the body arrives */
function readAll({ body }: Response, onPiece: () => void): Promise<ArrayBuffer> {
  const watched = body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        onPiece();
        controller.enqueue(piece);
      },
    }),
  );
  return new Response(watched).arrayBuffer();
}

/** The JSON, or the text if it is no JSON; empty if the body is lost. */
async function errorBody(response: Response, onPiece: () => void): Promise<unknown> {
  const text = await readAll(response, onPiece).then(decoded, () => '');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function decoded(bytes: ArrayBuffer): string {
  return new TextDecoder().decode(bytes);
}

function queryString(query: HttpRequest['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of [value].flat()) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
