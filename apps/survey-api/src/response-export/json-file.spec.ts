import { text } from 'node:stream/consumers';
import { surveyResponse } from '../../test/records';
import type { ExportColumn } from './export-columns';
import { jsonFile, ndjsonFile } from './json-file';

const columns: ExportColumn[] = [
  { name: 'Name', value: ({ userName }) => userName },
  { name: 'Rank', value: () => 2 },
  { name: 'Rank', value: () => 'of the metadata' },
  { name: '__proto__', value: () => null },
];

async function* responsesOf(...names: (string | null)[]) {
  for (const userName of names) yield surveyResponse({ userName });
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

describe('ndjsonFile', () => {
  it.each<[(string | null)[], string]>([
    [[], ''],
    [['a\nb', null], `${rowOf('a\nb')}\n${rowOf(null)}\n`],
  ])('holds a line for each response: %j', async (names, expected) => {
    expect(await text(ndjsonFile(columns, responsesOf(...names)))).toBe(expected);
  });
});
