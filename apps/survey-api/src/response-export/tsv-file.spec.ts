import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import type { Cell } from './cell';
import { tsvFile } from './tsv-file';

async function* rowsOf(rows: Cell[][]): AsyncGenerator<Cell[]> {
  yield* rows;
}

const fileOf = (rows: Cell[][], guardFormulas = true) => buffer(tsvFile(rowsOf(rows), { guardFormulas }));

/** An independent reader: what a spreadsheet does with quotes, tabs and line ends. */
function readTsv(bytes: Buffer): string[][] {
  const text = new TextDecoder('utf-16le', { fatal: true }).decode(bytes);
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\r\n"]*))(\t|\r\n)/gy)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

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

  it('defuses formulas in headings and cells, before quoting them', async () => {
    const [heading, cells] = readTsv(await fileOf([['=a'], ['=HYPERLINK("x")'], ['-5']]));
    expect([heading, cells]).toEqual([["'=a"], ['\'=HYPERLINK("x")']]);
  });

  it('leaves formulas alone when asked to', async () => {
    expect(readTsv(await fileOf([['=1+1']], false))).toEqual([['=1+1']]);
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
        expect(readTsv(await fileOf(rows, false))).toEqual(rows);
      }),
    );
  });

  it('asks for rows no faster than the file is read', async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Cell[]> {
      for (;;) {
        taken += 1;
        yield ['x'.repeat(1000)];
      }
    }
    const file = tsvFile(endless(), { guardFormulas: true });
    for (let chunks = 0; chunks < 100; chunks += 1) {
      if (file.read() === null) await once(file, 'readable');
    }
    expect(taken).toBeLessThan(1000);
    file.destroy();
  });

  it('ends the rows when it is destroyed', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<Cell[]> {
      try {
        for (;;) yield ['x'];
      } finally {
        ended = true;
      }
    }
    const file = tsvFile(endless(), { guardFormulas: true });
    await once(file, 'readable');
    file.destroy();
    await once(file, 'close');
    await new Promise(setImmediate);
    expect(ended).toBe(true);
  });

  it('fails when the rows fail', async () => {
    async function* failing(): AsyncGenerator<Cell[]> {
      yield ['x'];
      throw new Error('connection lost');
    }
    await expect(buffer(tsvFile(failing(), { guardFormulas: true }))).rejects.toThrow('connection lost');
  });
});
