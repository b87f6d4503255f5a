import { ConnectionError } from '../errors';
import type { HttpClient, HttpRequest } from './http-client';
import { sleep } from './retry';

/**
 * Reconnects an interrupted stream after its last line.
 * @param isEnd recognizes the last line; a stream without it was cut. Default: streams have none
 * @throws ApiError; ConnectionError when the retries without a line between them are used up
 */
export async function* resumableLines<Line extends { readonly cursor: string }>(
  http: HttpClient,
  { query = {}, ...request }: Pick<HttpRequest, 'path' | 'query' | 'accept' | 'signal'>,
  isEnd?: (line: Line) => boolean,
): AsyncGenerator<Line> {
  let { cursor } = query;
  for (let retries = 0; ;) {
    // The request has retries of its own.
    const { lines } = await http.ndjson<Line>({ ...request, query: { ...query, cursor } });
    let hasEnded = false;
    try {
      // Reads to the end, because fetch can't reuse the connection of an unfinished answer.
      for await (const line of lines) {
        yield line;
        cursor = line.cursor;
        retries = 0;
        hasEnded ||= isEnd?.(line) ?? false;
      }
      if (hasEnded || !isEnd) return;
      throw new ConnectionError(`GET ${request.path}: the stream has no end`);
    } catch (error) {
      if (hasEnded && error instanceof ConnectionError) return;
      const delayMs = error instanceof ConnectionError ? http.retryPolicy.delayMs(error, retries) : undefined;
      if (delayMs === undefined) throw error;
      retries += 1;
      await sleep(delayMs, request.signal);
    }
  }
}

/**
 * A last line without a line feed was cut.
 * @throws ConnectionError if the body ends early, or the reason of the signal
 */
export async function* ndjsonLines<Line>(
  body: ReadableStream<Uint8Array> | null,
  signal?: AbortSignal,
): AsyncGenerator<Line> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const end = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', end);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
    }
    signal?.throwIfAborted();
    if (rest !== '') throw new Error('the last line is incomplete');
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof SyntaxError) throw error;
    throw new ConnectionError(`The stream was cut: ${(error as Error).message}`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
    await reader.cancel().catch(() => undefined);
  }
}
