import { ConnectionError, CxpError } from './errors';

/** Characters; far above every line of the API. */
const MAX_LINE_MIB = 64;

/**
 * A last line without a line feed was cut.
 * @param where begins an error
 * @throws ConnectionError if the body ends early, what `parse` throws, or the reason of the signal
 */
export async function* ndjsonLines<Line>(
  body: ReadableStream<Uint8Array> | null,
  where: string,
  parse: (line: string) => Line,
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
      const piece = decoder.decode(value, { stream: true });
      rest += piece;
      if (rest.length > MAX_LINE_MIB * 1024 ** 2)
        throw new CxpError(`${where}: a line above ${MAX_LINE_MIB} MiB`);
      // Splitting would copy a long line for each of its pieces.
      if (!piece.includes('\n')) continue;
      const lines = rest.split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line !== '') yield parse(line);
    }
    signal?.throwIfAborted();
    if (rest !== '') throw new Error('the last line is incomplete');
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof CxpError) throw error;
    throw new ConnectionError(`${where}: the stream was cut: ${(error as Error).message}`, { cause: error });
  } finally {
    signal?.removeEventListener('abort', end);
    await reader.cancel().catch(() => undefined);
  }
}
