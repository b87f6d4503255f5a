import { ConnectionError } from '../errors';
import type { HttpClient, HttpRequest } from './http-client';
import { sleep } from './retry';

/**
 * The lines of a stream that can be continued, from the `cursor` of the query. A stream that is cut continues after its last line.
 * @throws ApiError; ConnectionError when the retries without a line between them are used up
 */
export async function* resumableLines<Line extends { readonly cursor: string }>(
  http: HttpClient,
  { path, query = {}, signal }: Pick<HttpRequest, 'path' | 'query' | 'signal'>,
): AsyncGenerator<Line> {
  let { cursor } = query;
  for (let retries = 0; ;) {
    try {
      const { lines } = await http.ndjson<Line>({ path, query: { ...query, cursor }, signal });
      for await (const line of lines) {
        yield line;
        cursor = line.cursor;
        retries = 0;
      }
      return;
    } catch (error) {
      const delayMs = error instanceof ConnectionError ? http.retryPolicy.delayMs(error, retries) : undefined;
      if (delayMs === undefined) throw error;
      retries += 1;
      await sleep(delayMs, signal);
    }
  }
}
