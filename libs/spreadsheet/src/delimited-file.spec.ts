import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { readDelimited, readTsv } from '../test/read-files';
import type { Cell } from './cell';
import { csvFile, tsvFile } from './delimited-file';

async function* rowsOf(rows: Cell[][]): AsyncGenerator<Cell[]> {
  yield* rows;
}

async function* endless(onRow: () => void, onEnd: () => void = () => undefined): AsyncGenerator<Cell[]> {
  try {
    for (;;) {
      onRow();
      yield ['x'.repeat(1000)];
    }
  } finally {
    onEnd();
  }
}

const fileOf = (rows: Cell[][], guardFormulas = true) =>
  buffer(tsvFile(rowsOf(rows), { timeZone: '+07:00', guardFormulas }));

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
        expect(readTsv(await fileOf(rows, false))).toEqual(rows);
      }),
      { numRuns: runs(30) },
    );
  });

  it('asks for rows no faster than the file is read', async () => {
    let taken = 0;
    const file = tsvFile(
      endless(() => (taken += 1)),
      { timeZone: '+07:00', guardFormulas: true },
    );
    let read = 0;
    while (read < 10_000) {
      const piece = file.read() as Buffer | null;
      if (piece) read += piece.toString('utf16le').split('\n').length - 1;
      else await once(file, 'readable');
    }
    expect(taken - read).toBeLessThan(1000);
    file.destroy();
  });

  it('ends the rows when it is destroyed', async () => {
    let file: Readable | undefined;
    const ended = new Promise<void>((resolve) => {
      file = tsvFile(
        endless(() => undefined, resolve),
        { timeZone: '+07:00', guardFormulas: true },
      );
    });
    await once(file!, 'readable');
    file!.destroy();
    await ended;
  });

  it('ends the rows when it is destroyed before anybody has read it', async () => {
    let file: Readable | undefined;
    const ended = new Promise<void>((resolve) => {
      file = tsvFile(
        endless(() => setImmediate(() => file!.destroy()), resolve),
        { timeZone: '+07:00', guardFormulas: true },
      );
    });
    await ended;
  });

  it('fails when the rows fail', async () => {
    async function* failing(): AsyncGenerator<Cell[]> {
      yield ['x'];
      throw new Error('connection lost');
    }
    await expect(buffer(tsvFile(failing(), { timeZone: '+07:00', guardFormulas: true }))).rejects.toThrow(
      'connection lost',
    );
  });
});

describe('csvFile', () => {
  it('is comma-separated UTF-8 without a byte order mark, with CRLF at the end of each line', async () => {
    const rows = [
      ['Tên', 'Điểm, "số"'],
      ['Hà 😀\nNội', '=1+1'],
    ];
    const text = (await buffer(csvFile(rowsOf(rows), { timeZone: '+07:00', guardFormulas: true }))).toString(
      'utf8',
    );
    expect(text).toBe('Tên,"Điểm, ""số"""\r\n"Hà 😀\nNội",\'=1+1\r\n');
    expect(readDelimited(text, ',')).toEqual([rows[0], ['Hà 😀\nNội', "'=1+1"]]);
  });
});
