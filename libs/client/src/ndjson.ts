import { ConnectionError } from './errors';

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
