import type { InvalidItem } from '@cxp/error-envelopes';
import { RecordCheck } from '@cxp/platform-records';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import type { NdjsonLine } from './ndjson-lines';
import { recordLoc, type ReceivedRecord, type RecordArea } from './record-area';

const ESCAPE_TO_CHECK = /\\u(0000|d[89a-f])/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads lines into records of one area; a bad line yields everything that is wrong with it. */
export class RecordParser {
  private readonly records: RecordCheck;

  constructor({ types }: Pick<RecordArea, 'types'>) {
    this.records = new RecordCheck(types);
  }

  parse({ number: line, bytes }: NdjsonLine): ReceivedRecord | readonly InvalidItem[] {
    if (!bytes) return [item(line, [], 'line is longer than 1 MiB', 'line_too_long')];
    let value: unknown;
    try {
      const text = utf8.decode(bytes);
      if (isNestedTooDeeply(text)) {
        const msg = `record must not be nested deeper than ${MAX_JSON_DEPTH} levels`;
        return [item(line, [], msg, 'recursion_loop')];
      }
      value = JSON.parse(text);
      const unstorable = text.includes('\\u') && ESCAPE_TO_CHECK.test(text) ? unstorableTextPaths(value) : [];
      if (unstorable.length > 0) {
        return unstorable.map((path) =>
          item(line, path, 'text must be Unicode without NUL', 'string_unicode'),
        );
      }
    } catch {
      return [item(line, [], 'line must be valid JSON in UTF-8', 'json_invalid')];
    }
    const result = this.records.check(value);
    if ('problems' in result) {
      return result.problems.map(({ loc, msg, type }) => item(line, loc, msg, type));
    }
    return { line, ...result.record };
  }
}

function item(line: number, path: readonly (string | number)[], msg: string, type: string): InvalidItem {
  return { loc: recordLoc(line, ...path), msg, type };
}
