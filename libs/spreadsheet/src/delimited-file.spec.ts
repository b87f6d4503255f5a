import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { readDelimited, readTsv } from '../test/read-files';
import type { Cell } from './cell';
import { csvFile, tsvFile } from './delimited-file';

async function* rowsOf(rows: Cell[][]): AsyncGenerator<Cell[]> {
  yield* rows;
}

const OPTIONS = { timeZone: '+07:00', guardFormulas: true };

const fileOf = (rows: Cell[][], options = OPTIONS) => buffer(tsvFile(rowsOf(rows), options));

describe('tsvFile', () => {
  it('is tab-separated UTF-16LE after its byte order mark, with CRLF at the end of each line', async () => {
    const bytes = await fileOf([
      ['Tên', 'Điểm'],
      ['Hà', 5],
      [null, ''],
    ]);
    expect(bytes.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xfe]));
    expect(bytes.subarray(2).toString('utf16le')).toBe('Tên\tĐiểm\r\nHà\t5\r\n\t\r\n');
  });

  it.each([
    ['a quote', 'say "hi"', '"say ""hi"""'],
    ['a tab', 'a\tb', '"a\tb"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['nothing special', 'a, b; c', 'a, b; c'],
  ])('encloses a value with %s in double quotes where needed', async (_, value, written) => {
    expect((await fileOf([[value, 'x']])).subarray(2).toString('utf16le')).toBe(`${written}\tx\r\n`);
  });

  it('gives any text back to a reader, in a table of any size', async () => {
    const cell = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', '\t', '\r', '\n', ',', '|', 'ế', '😀'),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    });
    const text = cell.map((value) => value.replaceAll('\0', ''));
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }),
      );
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        expect(readTsv(await fileOf(rows, { ...OPTIONS, guardFormulas: false }))).toEqual(rows);
      }),
      { numRuns: runs(30) },
    );
  });
});

it('takes one row after the other: many files would pass on what they hold in one turn of the event loop', async () => {
  let taken = 0;
  async function* long(): AsyncGenerator<Cell[]> {
    for (;;) {
      taken += 1;
      yield ['ế'.repeat(40_000)];
    }
  }
  const file = csvFile(long(), { ...OPTIONS, hasMark: false });
  for await (const _ of file) {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    break;
  }
  expect(taken).toBeLessThanOrEqual(3);
});

describe('csvFile', () => {
  it.each([
    [true, '\ufeff'],
    [false, ''],
  ])(
    'is comma-separated UTF-8, its byte order mark: %s, with CRLF at the end of each line',
    async (hasMark, mark) => {
      const rows = [
        ['Tên', 'Điểm, "số"'],
        ['Hà 😀\nNội', '=1+1'],
      ];
      const text = (await buffer(csvFile(rowsOf(rows), { ...OPTIONS, hasMark }))).toString('utf8');
      expect(text).toBe(mark + 'Tên,"Điểm, ""số"""\r\n"Hà 😀\nNội",\'=1+1\r\n');
      expect(readDelimited(text.slice(mark.length), ',')).toEqual([rows[0], ['Hà 😀\nNội', "'=1+1"]]);
    },
  );
});
