import { Readable } from 'node:stream';
import { itemsJson } from '@cxp/service-kit';
import { cellText } from '@cxp/spreadsheet';
import { TIME_ZONE } from '../calendar/day-window';
import type { ExportColumn } from './export-columns';
import type { StoredResponse } from '../responses/response-fields';

type Pages = AsyncIterable<readonly StoredResponse[]>;

/** `{"items": [{column: value}]}`, written while it is read. */
export function jsonFile(columns: readonly ExportColumn[], pages: Pages): Readable {
  const toJson = objectWriter(columns);
  const text = itemsJson(pages, (page) => page.map(toJson).join(','));
  return Readable.from(text, { objectMode: false });
}

/** The names of the columns are made to JSON once: a campaign may have 20,000 columns, and an export 5,000 rows. */
function objectWriter(columns: readonly ExportColumn[]): (response: StoredResponse) => string {
  const keys = distinctKeys(columns.map(({ name }) => name)).map((key) => `${JSON.stringify(key)}:`);
  return (response) => {
    const members = columns.map(
      ({ value }, i) => keys[i]! + JSON.stringify(cellText(value(response), TIME_ZONE)),
    );
    return `{${members.join(',')}}`;
  };
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
