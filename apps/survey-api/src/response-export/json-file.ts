import { Readable } from 'node:stream';
import { cellText } from '@cxp/spreadsheet';
import { TIME_ZONE } from '../calendar/day-window';
import type { SurveyResponse } from '../responses/survey-response';
import type { ExportColumn } from './export-columns';

/** `{"items": [{column: value}]}`, written while it is read. */
export function jsonFile(
  columns: readonly ExportColumn[],
  responses: AsyncIterable<SurveyResponse>,
): Readable {
  async function* text(): AsyncGenerator<string> {
    let separator = '{"items":[';
    for await (const object of objects(columns, responses)) {
      yield separator + object;
      separator = ',';
    }
    yield separator === ',' ? ']}' : `${separator}]}`;
  }
  return Readable.from(text(), { objectMode: false });
}

/** The same objects, one on each line. */
export function ndjsonFile(
  columns: readonly ExportColumn[],
  responses: AsyncIterable<SurveyResponse>,
): Readable {
  async function* text(): AsyncGenerator<string> {
    for await (const object of objects(columns, responses)) yield `${object}\n`;
  }
  return Readable.from(text(), { objectMode: false });
}

async function* objects(
  columns: readonly ExportColumn[],
  responses: AsyncIterable<SurveyResponse>,
): AsyncGenerator<string> {
  const keys = distinctKeys(columns.map(({ name }) => name));
  for await (const response of responses) {
    yield JSON.stringify(
      Object.fromEntries(columns.map(({ value }, i) => [keys[i]!, cellText(value(response), TIME_ZONE)])),
    );
  }
}

/** A metadata variable may have the name of another column, and an object cannot have two properties of one name. */
function distinctKeys(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let key = name;
    for (let n = 2; taken.has(key); n += 1) key = `${name} (${n})`;
    taken.add(key);
    return key;
  });
}
