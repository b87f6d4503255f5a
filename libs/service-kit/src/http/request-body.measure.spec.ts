import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readBody } from './request-body';

const MAX_BYTES = 1024 * 1024;

describe('a whole body', () => {
  it.each([
    ['that comes', 200_000, MAX_BYTES],
    ['that is too large', 200_000, 150_000],
  ])('%s a byte at a time takes no more memory than its bytes', async (_, bytes, maxBytes) => {
    const raw = new PassThrough();
    const grow = (length: number, taken: number) => {
      if (length > maxBytes) throw new Error('too large');
      return Math.max(length, 2 * taken);
    };
    const before = heapUsed();
    const read = readBody(raw, grow).catch(() => undefined);
    for (let i = 0; i < bytes; i++) if (!raw.write(Buffer.alloc(1))) await new Promise(setImmediate);
    // What the stream itself still holds flows off.
    await new Promise(setImmediate);
    // Chunks that are kept would take 20 MB.
    expect(heapUsed() - before).toBeLessThan(4_000_000);
    raw.end();
    await read;
  });
});

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // What one collection finalizes, the next one frees.
  for (let run = 0; run < 3; run++) collectGarbage();
  return process.memoryUsage().heapUsed;
}
