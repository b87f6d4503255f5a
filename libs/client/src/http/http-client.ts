import { apiError, ConnectionError, CxpError } from '../errors';
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
  /** How long the headers of an answer may take, in milliseconds. Default: 30,000. */
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
  /** If false, the request is not sent again after a lost connection. */
  readonly isRepeatable?: boolean;
}

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
    const response = await this.send(request);
    const text = await readAll(request, () => response.text());
    return { body: JSON.parse(text) as Body, headers: response.headers };
  }

  /** The whole body of an answer. @throws ApiError, ConnectionError */
  async bytes(request: HttpRequest): Promise<{ bytes: ArrayBuffer; headers: Headers }> {
    const response = await this.send(request);
    return { bytes: await readAll(request, () => response.arrayBuffer()), headers: response.headers };
  }

  /**
   * The lines of an NDJSON answer as they arrive. Leaving the loop closes the connection.
   * @throws ApiError; ConnectionError if the connection is cut before the end
   */
  async ndjson<Line>(request: HttpRequest): Promise<{ lines: AsyncGenerator<Line>; headers: Headers }> {
    const response = await this.send({ accept: 'application/x-ndjson', ...request });
    return { lines: ndjsonLines<Line>(response.body, request.signal), headers: response.headers };
  }

  /** Resolves to a successful answer whose body has not been read yet. */
  private async send(request: HttpRequest): Promise<Response> {
    const { signal, isRepeatable = true } = request;
    for (let retries = 0; ; retries += 1) {
      let retryAfter: string | null = null;
      try {
        const response = await this.attempt(request);
        if (response.ok) return response;
        retryAfter = response.headers.get('retry-after');
        throw apiError(response.status, await bodyOf(response), response.headers);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const mayRepeat = isRepeatable || !(error instanceof ConnectionError);
        const delayMs = mayRepeat ? this.retryPolicy.delayMs(error, retries, retryAfter) : undefined;
        if (delayMs === undefined) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  /** @throws ConnectionError if no headers arrive in time */
  private async attempt({ method = 'GET', path, query, body, accept, signal, waitMs = 0 }: HttpRequest) {
    const { url, area, headers, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = this.options;
    if (url === undefined) throw new CxpError(`urls.${area} is not set`);
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new Error(`no answer within ${timeoutMs + waitMs} ms`)),
      timeoutMs + waitMs,
    );
    try {
      return await fetch(`${url.replace(/\/$/, '')}${path}${queryString(query)}`, {
        method,
        headers: {
          ...headers,
          ...(accept !== undefined && { accept }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
    } catch (error) {
      throw connectionError(method, path, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

function connectionError(method: string, path: string, cause: unknown): ConnectionError {
  const { message, cause: inner } = cause as Error & { cause?: { message?: string; code?: string } };
  return new ConnectionError(`${method} ${path}: ${inner?.message || inner?.code || message}`, { cause });
}

async function readAll<Result>(
  { method = 'GET', path, signal }: HttpRequest,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw connectionError(method, path, error);
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => '');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
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
