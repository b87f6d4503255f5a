import { MAX_RECORD_PROBLEMS, type InvalidItem } from '@cxp/error-envelopes';
import { RecordCheck } from '../schemas/record-check';
import { MAX_RECORD_BYTES, type RecordType } from '../schemas/record-type';
import { parseJson } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import { numberProblems } from './number-problems';
import type { RecordLine } from './record-lines';
import { recordLoc, type ReceivedRecord, type RecordArea } from './record-area';

export class RecordParser {
  /** Bytes; covers all types. */
  readonly maxLineBytes: number;
  private readonly records: RecordCheck;
  private readonly tooLarge: string;

  constructor(private readonly area: Pick<RecordArea, 'types'>) {
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
