import { ApiError, apiError, ConnectionError, CxpError } from './errors';
import { ndjsonLines } from './ndjson';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 5;
/** Slightly more than the longest window of the rate limits. */
const DEFAULT_MAX_DELAY_MS = 65_000;
const FIRST_DELAY_MS = 500;
const JITTER_MS = 250;
/** Far above every JSON answer of the API. An export may be larger. */
const MAX_JSON_MIB = 256;

export interface RetryOptions {
  /** 0 turns retries off. Default: 5. */
  readonly maxRetries?: number;
  /** Milliseconds before a retry. If `Retry-After` asks for more, the request fails. Default: 65,000. */
  readonly maxDelayMs?: number;
}

export interface HttpOptions {
  /** Without a base URL every call fails. */
  readonly url: string | undefined;
  /** What errors call the URL. */
  readonly urlName: string;
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
  /** What the answer, or each line of it, has; another one is not of the API. */
  readonly has?: string;
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
  /** Not shown by `console.log`: the headers have the token. */
  readonly #options: HttpOptions;
  private readonly host: string = '';
  private readonly warnedOf = new Set<string>();

  /** @throws CxpError if the URL is none of http or https */
  constructor(options: HttpOptions) {
    const { url, urlName } = options;
    this.#options = options;
    if (url === undefined) return;
    if (!/^https?:\/\/[^\s\\@?#]+$/i.test(url) || !URL.canParse(url)) {
      // Not quoted: it may be a token in the wrong place, or hold a password.
      throw new CxpError(`${urlName} is no http:// or https:// URL, or has a user, a query or a fragment`);
    }
    this.host = new URL(url).host;
  }

  /** @throws ApiError, ConnectionError */
  async json<Body>(request: HttpRequest): Promise<Body> {
    return (await this.jsonWithHeaders<Body>(request)).body;
  }

  /** @throws ApiError, ConnectionError */
  async jsonWithHeaders<Body>(request: HttpRequest): Promise<{ body: Body; headers: Headers }> {
    const { bytes, response } = await this.bytes(request, MAX_JSON_MIB);
    return { body: this.parsed<Body>(decoded(bytes), response, request), headers: response.headers };
  }

  /** @throws ApiError, ConnectionError; CxpError if the answer is too large */
  async bytes(request: HttpRequest, maxMib = Infinity): Promise<{ bytes: ArrayBuffer; response: Response }> {
    return this.send(request, async (response, onPiece) => ({
      bytes: await readAll(response, onPiece, maxMib, `${request.method ?? 'GET'} ${this.address(request)}`),
      response,
    }));
  }

  /**
   * Lines as they arrive. An interrupted stream continues after its last line. Leaving the loop closes the connection.
   * @param isEnd recognizes the last line; a stream without it was cut. Default: streams have none
   * @throws ApiError; ConnectionError when the retries without a line between them are used up
   */
  async *lines<Line extends { readonly cursor: string }>(
    { query = {}, accept = 'application/x-ndjson', ...request }: HttpRequest,
    isEnd?: (line: Line) => boolean,
  ): AsyncGenerator<Line> {
    const { signal } = request;
    const where = `GET ${this.address(request)}`;
    let { cursor } = query;
    for (let retries = 0; ;) {
      // The request has retries of its own.
      const response = await this.send(
        { ...request, accept, query: { ...query, cursor } },
        async (response) => response,
      );
      const parse = (line: string) => this.parsed<Line>(line, response, { has: 'cursor' });
      let hasEnded = false;
      try {
        // Reads to the end, because fetch can't reuse the connection of an unfinished answer.
        for await (const line of ndjsonLines(response.body, where, parse, signal)) {
          yield line;
          cursor = line.cursor;
          retries = 0;
          hasEnded ||= isEnd?.(line) ?? false;
        }
        if (hasEnded || !isEnd) return;
        throw new ConnectionError(`${where}: the stream has no end`);
      } catch (error) {
        if (hasEnded && error instanceof ConnectionError) return;
        const delayMs = error instanceof ConnectionError ? this.delayMs(error, retries) : undefined;
        if (delayMs === undefined) throw error;
        retries += 1;
        await sleep(delayMs, signal);
      }
    }
  }

  /** A connection lost during `read` repeats the request. */
  private async send<Result>(request: HttpRequest, read: Read<Result>): Promise<Result> {
    const { signal, isRepeatable = true } = request;
    for (let retries = 0; ; retries += 1) {
      let retryAfter: string | null = null;
      try {
        return await this.attempt(request, async (response, onPiece) => {
          const { ok, headers } = response;
          this.warnOfIgnored(headers.get('x-ignored-parameters'), request);
          if (ok && !headers.get('content-type')?.includes('html')) return read(response, onPiece);
          retryAfter = headers.get('retry-after');
          throw apiError(response, await this.errorBody(response, onPiece), this.host);
        });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const mayRepeat = isRepeatable || wasRefused(error);
        const delayMs = mayRepeat ? this.delayMs(error, retries, retryAfter) : undefined;
        if (delayMs === undefined) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  /** Once for each: a misspelled filter is no filter. */
  private warnOfIgnored(names: string | null, request: HttpRequest): void {
    const warning = `${this.address(request)}: unknown parameters are ignored: ${names}`;
    if (names === null || this.warnedOf.has(warning)) return;
    this.warnedOf.add(warning);
    // eslint-disable-next-line no-console -- the program that uses the client has no other place for it
    console.warn(warning);
  }

  /** @throws ConnectionError if the connection is lost or silent before `read` has ended */
  private async attempt<Result>(request: HttpRequest, read: Read<Result>): Promise<Result> {
    const { method = 'GET', query, body, accept, signal, waitMs = 0 } = request;
    const { headers, timeoutMs = DEFAULT_TIMEOUT_MS, fetch = globalThis.fetch } = this.#options;
    const address = this.address(request);
    const text = body === undefined ? undefined : jsonOf(body, `${method} ${address}`);
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
      const response = await fetch(`${address}${queryString(query)}`, {
        method,
        headers: {
          ...headers,
          ...(accept !== undefined && { accept }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
        },
        body: text,
        // The API has no redirects, and another host must not receive the request.
        redirect: 'manual',
        signal: call.signal,
      });
      restartTimer(timeoutMs);
      return await read(response, () => restartTimer(timeoutMs));
    } catch (error) {
      throw error instanceof CxpError ? error : connectionError(method, address, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  /** @throws CxpError without a base URL */
  private address({ path }: HttpRequest): string {
    const { url, urlName } = this.#options;
    if (url === undefined) throw new CxpError(`${urlName} is not set`);
    return url.replace(/\/$/, '') + path;
  }

  /** @throws ApiError if the text is none of the API */
  private parsed<Body>(text: string, response: Response, { has }: Pick<HttpRequest, 'has'>): Body {
    const body = jsonOrText(text);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    if (!isObject || (has !== undefined && !(has in body))) throw apiError(response, body, this.host);
    return body as Body;
  }

  /** Without the token, which a server that echoes its headers answers. Empty if the body is lost. */
  private async errorBody(response: Response, onPiece: () => void): Promise<unknown> {
    const token = this.#options.headers.authorization!.replace(/^Bearer /, '');
    const text = await readAll(response, onPiece, MAX_JSON_MIB).then(decoded, () => '');
    return jsonOrText(text.replaceAll(token, '…'));
  }

  /**
   * @param retries so far
   * @param retryAfter the header of the answer
   * @returns milliseconds; undefined for no retry
   */
  private delayMs(error: unknown, retries: number, retryAfter: string | null = null): number | undefined {
    const { maxRetries = DEFAULT_RETRIES, maxDelayMs = DEFAULT_MAX_DELAY_MS } = this.#options.retry ?? {};
    if (retries >= maxRetries || !isTemporary(error)) return undefined;
    const jitter = Math.random() * JITTER_MS;
    const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    if (seconds === undefined) return Math.min(FIRST_DELAY_MS * 2 ** retries, maxDelayMs) + jitter;
    return seconds * 1_000 > maxDelayMs ? undefined : seconds * 1_000 + jitter;
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

/**
 * @param onPiece is called for each piece of the body
 * @throws CxpError, which is not repeated, if it is too large, whatever its length before it was decompressed
 */
function readAll({ body }: Response, onPiece: () => void, maxMib: number, where = ''): Promise<ArrayBuffer> {
  let bytes = 0;
  const watched = body?.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        onPiece();
        bytes += piece.length;
        if (bytes > maxMib * 1024 ** 2) throw new CxpError(`${where}: an answer above ${maxMib} MiB`);
        controller.enqueue(piece);
      },
    }),
  );
  return new Response(watched).arrayBuffer();
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** @throws CxpError, which is not repeated, if it is no JSON */
function jsonOf(body: unknown, where: string): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new CxpError(`${where}: the body can't be sent: ${(error as Error).message}`, { cause: error });
  }
}

/** A name in a path. What is half of a character becomes U+FFFD, which names nothing. */
export function segment(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

/** @throws CxpError that does not quote the token if it has a character that no token has, for instance a line break */
export function checkToken(token: string, name: string): void {
  if (!token) throw new CxpError(`${name} is not set`);
  if (!/^[\w.~+/=-]+$/.test(token)) throw new CxpError(`${name} has a character that no token has`);
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

function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** @throws the reason of the signal as soon as it is aborted */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
