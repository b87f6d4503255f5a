/** Without its line end. `bytes` is undefined for a line that is too long; blank lines are empty. */
export interface RecordLine {
  /** From 1, blank lines included. */
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/** Lines share the body's memory. */
export function* linesOf(body: Buffer, maxLineBytes: number, firstNumber = 1): Generator<RecordLine> {
  for (let start = 0, number = firstNumber; start < body.length; number++) {
    const lineFeed = body.indexOf(LF, start);
    const end = lineFeed === -1 ? body.length : lineFeed;
    yield { number, bytes: content(body.subarray(start, end), maxLineBytes) };
    start = end + 1;
  }
}

/** Keeps no more of a line that is too long than shows its length. */
export async function* linesOfStream(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes: number,
): AsyncGenerator<RecordLine> {
  let number = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = all.lastIndexOf(LF) + 1;
    for (const line of linesOf(all.subarray(0, end), maxLineBytes, number)) {
      number = line.number + 1;
      yield line;
    }
    // One more byte may be a carriage return; a second one is too many.
    rest = all.subarray(end, end + maxLineBytes + 2);
  }
  yield* linesOf(rest, maxLineBytes, number);
}

function content(line: Buffer, maxLineBytes: number): Buffer | undefined {
  const bytes = line.at(-1) === CR ? line.subarray(0, -1) : line;
  if (bytes.length > maxLineBytes) return undefined;
  return isBlank(bytes) ? bytes.subarray(0, 0) : bytes;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09);
}
