import { type InvalidItem, MAX_RECORD_PROBLEMS } from '@cxp/error-envelopes';
import { parseJson } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import { RecordCheck } from '../schemas/record-check';
import {
  MAX_RECORD_BYTES,
  type ReceivedRecord,
  type RecordStore,
  recordLoc,
  type RecordType,
} from '../schemas/record-types';

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

export class RecordParser {
  /** Bytes; covers all types. */
  readonly maxLineBytes: number;
  private readonly records: RecordCheck;
  private readonly tooLarge: string;

  constructor(private readonly area: Pick<RecordStore, 'types'>) {
    this.records = new RecordCheck(area.types);
    const larger = Object.entries(area.types).filter(([, { maxBytes }]) => maxBytes);
    this.maxLineBytes = Math.max(MAX_RECORD_BYTES, ...larger.map(([, { maxBytes }]) => maxBytes!));
    const others = larger.map(([name, { maxBytes }]) => `, ${name} ${kibibytes(maxBytes!)}`).join('');
    this.tooLarge = `a record must be at most ${kibibytes(MAX_RECORD_BYTES)} as text${others}`;
  }

  /** @param all counts the members and elements of all lines */
  parse(
    { number: line, bytes }: RecordLine,
    all: { values: number } = { values: 0 },
  ): ReceivedRecord | readonly InvalidItem[] {
    if (!bytes) return [item(line, [], this.tooLarge, 'too_large')];
    const parsed = parseJson(bytes, 'record');
    if ('problem' in parsed) return [item(line, [], parsed.problem.msg, parsed.problem.type)];
    all.values += parsed.values;
    const { maxBytes = MAX_RECORD_BYTES } = this.typeOf(parsed.value) ?? {};
    if (bytes.length > maxBytes) return [item(line, [], this.tooLarge, 'too_large')];
    const unstorable = bytes.includes('\\u') ? unstorableTextPaths(parsed.value, MAX_RECORD_PROBLEMS) : [];
    if (unstorable.length > 0) {
      return unstorable.map((path) => item(line, path, 'text must be Unicode without NUL', 'string_unicode'));
    }
    const numbers = numberProblems(parsed.value, MAX_RECORD_PROBLEMS);
    if (numbers.length > 0) return numbers.map(({ loc, msg, type }) => item(line, loc, msg, type));
    const result = this.records.check(parsed.value);
    if ('problems' in result) {
      return result.problems.map(({ loc, msg, type }) => item(line, loc, msg, type));
    }
    return { line, ...result.record };
  }

  private typeOf(value: unknown): RecordType | undefined {
    const { type } = (value ?? {}) as { type?: unknown };
    return typeof type === 'string' && Object.hasOwn(this.area.types, type)
      ? this.area.types[type]
      : undefined;
  }
}

function kibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`;
}

function item(line: number, path: readonly (string | number)[], msg: string, type: string): InvalidItem {
  return { loc: recordLoc(line, ...path), msg, type };
}

/**
 * Finds numbers that lost their sent value: JSON reads one beyond all doubles as infinite, and an integer beyond 2^53 - 1 as a
 * neighbour, which is never within that bound.
 * @returns items whose `loc` starts at the value
 */
export function numberProblems(value: unknown, most: number): InvalidItem[] {
  const found: InvalidItem[] = [];
  const path: (string | number)[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === 'number') {
      const problem = problemOf(item);
      if (problem) found.push({ loc: [...path], ...problem });
    } else if (Array.isArray(item)) {
      for (let index = 0; index < item.length; index++) step(index, item[index]);
    } else if (typeof item === 'object' && item !== null) {
      for (const name of Object.keys(item)) step(name, (item as Record<string, unknown>)[name]);
    }
  };
  const step = (name: string | number, item: unknown): void => {
    if (found.length >= most) return;
    path.push(name);
    visit(item);
    path.pop();
  };
  visit(value);
  return found;
}

function problemOf(number: number): Pick<InvalidItem, 'msg' | 'type'> | undefined {
  if (!Number.isFinite(number)) return { msg: 'Input should be a finite number', type: 'finite_number' };
  // From 2^53 on a double has no fraction.
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return undefined;
  return { msg: 'Input should be an integer from -(2^53 - 1) to 2^53 - 1', type: 'safe_integer' };
}
