/** The most bytes that one line may hold, its end not counted. */
export const MAX_LINE_BYTES = 1024 * 1024;

/** A line without its line end; `undefined` bytes: it was longer than it may be and was passed over. */
export interface NdjsonLine {
  /** From 1, blank lines included. */
  readonly number: number;
  readonly bytes: Buffer | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/** The longest line and the CR that may end it. */
const MAX_KEPT_BYTES = MAX_LINE_BYTES + 1;

/**
 * Splits a byte stream into lines, never holding more than one chunk and one line. Blank lines are left out. The lines that end in
 * one chunk come together: each line by itself would take more time for its promises than for its content.
 */
export async function* ndjsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<NdjsonLine[]> {
  let number = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const cutLine = (end: Buffer): NdjsonLine | undefined => {
    const whole = pendingBytes + end.length <= MAX_KEPT_BYTES;
    const line = whole && withoutCr(pending.length > 0 ? Buffer.concat([...pending, end]) : end);
    const bytes = line && line.length <= MAX_LINE_BYTES ? line : undefined;
    pending = [];
    pendingBytes = 0;
    const numbered = { number: number++, bytes };
    return bytes && isBlank(bytes) ? undefined : numbered;
  };

  for await (const chunk of chunks) {
    const lines: NdjsonLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (end === start && pendingBytes === 0) number++;
      else {
        const line = cutLine(chunk.subarray(start, end));
        if (line) lines.push(line);
      }
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    pendingBytes += rest.length;
    // Past the limit only the length is kept: the line is refused, its bytes need no room.
    if (pendingBytes <= MAX_KEPT_BYTES) pending.push(rest);
    else pending = [];
    if (lines.length > 0) yield lines;
  }
  const last = cutLine(Buffer.alloc(0));
  if (last) yield [last];
}

function withoutCr(line: Buffer): Buffer {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09);
}
