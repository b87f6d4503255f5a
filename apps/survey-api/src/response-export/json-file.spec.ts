import { text } from 'node:stream/consumers';
import { exportedResponse } from '../../test/records';
import type { ExportColumn } from './export-columns';
import { jsonFile } from './export-formats';

const columns: ExportColumn[] = [
  { name: 'Name', value: ({ user_name }) => user_name },
  { name: 'Rank', value: () => 2 },
  { name: 'Rank', value: () => 'of the metadata' },
  { name: '__proto__', value: () => null },
];

async function* responsesOf(...names: (string | null)[]) {
  yield* names.map((user_name) => exportedResponse({ user_name }));
}

const rowOf = (name: string | null) =>
  `{"Name":${JSON.stringify(name)},"Rank":2,"Rank (2)":"of the metadata","__proto__":null}`;

describe('jsonFile', () => {
  it.each<[(string | null)[], string]>([
    [[], '{"items":[]}'],
    [['Hà "😀"'], `{"items":[${rowOf('Hà "😀"')}]}`],
    [['a', null, 'b\tc'], `{"items":[${rowOf('a')},${rowOf(null)},${rowOf('b\tc')}]}`],
  ])('holds a row for each response: %j', async (names, expected) => {
    expect(await text(jsonFile(columns, responsesOf(...names)))).toBe(expected);
  });
});
