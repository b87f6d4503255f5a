import { MAX_RECORD_PROBLEMS, type InvalidItem } from '@cxp/error-envelopes';
import { RecordCheck } from '@cxp/platform-records';
import { parseJson } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import type { NdjsonLine } from './ndjson-lines';
import { recordLoc, type ReceivedRecord, type RecordArea } from './record-area';

/** Reads lines into records of one area; a bad line yields everything that is wrong with it. */
export class RecordParser {
  private readonly records: RecordCheck;

  constructor(private readonly area: Pick<RecordArea, 'types'>) {
    this.records = new RecordCheck(area.types);
  }

  parse({ number: line, bytes }: NdjsonLine): ReceivedRecord | readonly InvalidItem[] {
    if (!bytes) return [item(line, [], 'line is longer than 1 MiB', 'line_too_long')];
    const parsed = parseJson(bytes, 'record');
    if ('problem' in parsed) return [item(line, [], parsed.problem.msg, parsed.problem.type)];
    const { type, maxBytes } = this.typeOf(parsed.value);
    if (bytes.length > maxBytes) {
      const msg = `a record of type ${type} must be at most ${maxBytes / 1024} KiB as text`;
      return [item(line, [], msg, 'too_large')];
    }
    const unstorable = bytes.includes('\\u') ? unstorableTextPaths(parsed.value, MAX_RECORD_PROBLEMS) : [];
    if (unstorable.length > 0) {
      return unstorable.map((path) => item(line, path, 'text must be Unicode without NUL', 'string_unicode'));
    }
    const result = this.records.check(parsed.value);
    if ('problems' in result) {
      return result.problems.map(({ loc, msg, type }) => item(line, loc, msg, type));
    }
    return { line, ...result.record };
  }

  private typeOf(value: unknown): { readonly type: string; readonly maxBytes: number } {
    const { type } = (value ?? {}) as { type?: unknown };
    const known = typeof type === 'string' && Object.hasOwn(this.area.types, type) ? type : '';
    return { type: known, maxBytes: this.area.types[known]?.maxBytes ?? Infinity };
  }
}

function item(line: number, path: readonly (string | number)[], msg: string, type: string): InvalidItem {
  return { loc: recordLoc(line, ...path), msg, type };
}
