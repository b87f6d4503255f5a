import { ApiError, apiError, ConnectionError, CxpError } from '../errors';
import { ndjsonLines } from './ndjson';
import { RetryPolicy, sleep, type RetryOptions } from './retry';

const DEFAULT_TIMEOUT_MS = 30_000;

export interface HttpOptions {
  /** Without a base URL every call fails. */
  readonly url: string | undefined;
  /** Names the service in errors. */
  readonly area: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry?: RetryOptions;
  /** Milliseconds of silence before an answer and between pieces of its body; NDJSON bodies have no limit. Default: 30,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined;

export interface HttpRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  /** null, undefined and empty arrays are omitted. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Added to the time limit of the headers. */
  readonly waitMs?: number;
  /** If false, only a refused request, of which nothing was applied, is repeated. */
  readonly isRepeatable?: boolean;
}

/** `onPiece` restarts the limit of silence. */
type Read<Result> = (response: Response, onPiece: () => void) => Promise<Result>;

export interface CallOptions {
  /** Ends the call, which throws the signal's reason. */
  readonly signal?: AbortSignal;
}

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

  /** @throws ApiError, ConnectionError */
  async bytes(request: HttpRequest): Promise<{ bytes: ArrayBuffer; headers: Headers }> {
    return this.send(request, async (response, onPiece) => ({
      bytes: await readAll(response, onPiece),
      headers: response.headers,
    }));
  }

  /**
   * Lines as they arrive. Leaving the loop closes the connection.
   * @throws ApiError; ConnectionError if the connection is cut
   */
  async ndjson<Line>(request: HttpRequest): Promise<{ lines: AsyncGenerator<Line>; headers: Headers }> {
    return this.send({ accept: 'application/x-ndjson', ...request }, async ({ body, headers }) => ({
      lines: ndjsonLines<Line>(body, request.signal),
      headers,
    }));
  }

  /** A connection lost during `read` repeats the request. */
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
    if (!/^https?:\/\/./.test(url)) throw new CxpError(`urls.${area} is no http:// or https:// URL: ${url}`);
    const base = url.replace(/\/$/, '');
    // AbortSignal.any() would leak an entry per call into a follower's signal.
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
      const response = await fetch(`${base}${path}${queryString(query)}`, {
        method,
        headers: {
          ...headers,
          ...(accept !== undefined && { accept }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        // The API has no redirects, and another host must not receive the request.
        redirect: 'manual',
        signal: call.signal,
      });
      restartTimer(timeoutMs);
      return await read(response, () => restartTimer(timeoutMs));
    } catch (error) {
      throw error instanceof ApiError ? error : connectionError(method, base + path, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

/** Whether nothing was applied. A 503 may come after a part was. */
function wasRefused(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.code === 'overloaded');
}

function connectionError(method: string, address: string, cause: unknown): ConnectionError {
  const { message, cause: inner } = cause as Error & { cause?: { message?: string; code?: string } };
  return new ConnectionError(`${method} ${address}: ${inner?.message || inner?.code || message}`, { cause });
}

/** @param onPiece is called for each piece of the body */
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

/** Parsed JSON, or the text; empty if the body is lost. */
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
