import { ConnectionError, CxpError } from './errors';

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
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
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
