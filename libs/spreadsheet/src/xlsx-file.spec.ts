import { finished } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { read } from '@e965/xlsx';
import { runs } from '@cxp/testing';
import { readXlsx } from '../test/read-files';
import type { Cell } from './cell';
import { xlsxFile } from './xlsx-file';

const OPTIONS = { sheetName: 'Responses', timeZone: '+07:00' };

async function* rowsOf(rows: Cell[][]): AsyncGenerator<Cell[]> {
  yield* rows;
}

const fileOf = (rows: Cell[][]) => buffer(xlsxFile(rowsOf(rows), OPTIONS));

describe('xlsxFile, read by SheetJS,', () => {
  const readBack = async (rows: Cell[][]) => readXlsx(await fileOf(rows))[0]!.rows;

  it('gives texts, numbers and empty cells back as they are, formulas as text', async () => {
    const rows = [
      ['Tên', 'Điểm', 'Ghi chú', 'Số'],
      ['Hà 😀', 4.5, null, '0901234567'],
      ['=1+1', -3, '<b>&amp;"\t\'', '+84 90 123'],
      [null, 0, '  đầu và cuối  ', '-1'],
    ];
    expect(await readBack(rows)).toEqual(rows);
  });

  it('has real dates, as wall times of its time zone, for any second of two centuries', async () => {
    const time = fc.date({
      min: new Date('1900-03-01T00:00:00Z'),
      max: new Date('2100-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    await fc.assert(
      fc.asyncProperty(time, async (date) => {
        const wallTime = Math.floor(date.getTime() / 1_000) * 1_000 + 7 * 3_600_000;
        const [[cell]] = (await readBack([[date]])) as [[Date]];
        expect(cell.getTime()).toBe(wallTime);
      }),
      {
        numRuns: runs(4),
        examples: [[new Date('2026-01-05T16:59:59.999Z')], [new Date('2025-12-31T17:00:00Z')]],
      },
    );
  });

  it('has days that spreadsheets count differently as text', async () => {
    expect(await readBack([[new Date('1900-02-27T17:00:00Z'), new Date('0001-01-01T00:00:00Z')]])).toEqual([
      ['1900-02-28 00:00:00', '0001-01-01 07:00:00'],
    ]);
  });

  it.each([32_700, 32_701])(
    'cuts a text that a cell cannot hold, and says so in the cell: %i',
    async (length) => {
      const long = `${'x'.repeat(length)}${'😀'.repeat(100)}`;
      const sheets = readXlsx(await fileOf([['Heading'], [null, 'y'.repeat(32_767)], ['z', long]]));
      expect(sheets).toHaveLength(1);
      const [, whole, cut] = sheets[0]!.rows;
      expect(whole![1]).toBe('y'.repeat(32_767));
      const cell = cut![1] as string;
      expect(cell.length).toBeLessThanOrEqual(32_767);
      expect(cell).toMatch(
        new RegExp(`^x{${length}}(😀)* … \\[cut: the text has ${length + 100} characters\\]$`, 'u'),
      );
    },
  );

  it('writes an integer as text if a cell would not show all of its digits', async () => {
    const integers = [999_999_999_999_999, -999_999_999_999_999, 1_000_000_000_000_000, 2 ** 53];
    expect(await readBack([integers])).toEqual([
      [...integers.slice(0, 2), '1000000000000000', '9007199254740992'],
    ]);
  });

  it('has a heading that filters all rows', async () => {
    const bytes = await fileOf([['a', '=b'], [1, 2], [3]]);
    const { Sheets, Workbook } = read(bytes);
    expect(Sheets.Responses!['!autofilter']?.ref).toBe('A1:B3');
    expect(Workbook!.Names).toEqual([
      expect.objectContaining({ Name: '_xlnm._FilterDatabase', Ref: "'Responses'!$A$1:$B$3" }),
    ]);
  });

  it('has columns that are as wide as their first texts, a time at least', async () => {
    const id = '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01';
    const bytes = await fileOf([
      ['Timestamp sending failed', 'Id', 'Score', 'Text'],
      [null, id, 5, 'x'.repeat(500)],
    ]);
    const columns = read(bytes, { cellStyles: true }).Sheets.Responses!['!cols']!;
    expect(columns.map(({ width }) => width)).toEqual([28, 38, 20, 60]);
  });

  it('has a bold heading, and nothing else that is bold', async () => {
    const bytes = await fileOf([
      ['a', '=b'],
      ['c', '=d'],
    ]);
    const { files } = read(bytes, { bookFiles: true }) as unknown as {
      files: Record<string, { content: Buffer }>;
    };
    const part = (path: string) => files[path]!.content.toString();
    const fonts = [...part('xl/styles.xml').matchAll(/<font>(.*?)<\/font>/g)].map(([, font]) => font!);
    const [, styles] = /<cellXfs[^>]*>(.*)<\/cellXfs>/.exec(part('xl/styles.xml'))!;
    const fontOf = [...styles!.matchAll(/<xf [^>]*fontId="(\d+)"/g)].map(([, id]) => fonts[Number(id)]!);
    const cells = [...part('xl/worksheets/sheet1.xml').matchAll(/<c r="(\w+)"(?: s="(\d)")?/g)];
    expect(cells.map(([, cell, style = '0']) => [cell, fontOf[Number(style)]!.includes('<b/>')])).toEqual([
      ['A1', true],
      ['B1', true],
      ['A2', false],
      ['B2', false],
    ]);
  });

  it('has one sheet of its name when all fits, also without rows', async () => {
    expect(readXlsx(await fileOf([['a']]))).toEqual([{ name: 'Responses', rows: [['a']] }]);
    expect(readXlsx(await fileOf([]))).toEqual([{ name: 'Responses', rows: [] }]);
  });

  it('gives any text back to SheetJS, control characters and what looks like an escape included', async () => {
    const unit = fc.oneof(
      fc.constantFrom('_x0041_', '_', '\r', '\n', '\u0007', '\uffff', '&lt;', 'ế'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const texts = fc.array(fc.string({ unit, minLength: 1 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, async (row) => {
        // SheetJS reads a line break of Windows as `\n`.
        const expected = row.map((text) => text.replaceAll('\r\n', '\n'));
        expect(readXlsx(await fileOf([row]))[0]!.rows).toEqual([expected]);
      }),
    );
  });

  it.each([
    [1, 16_385],
    [1_048_577, 1],
  ])('fails for %i rows of %i columns, which a sheet cannot hold', async (rows, columns) => {
    async function* large(): AsyncGenerator<Cell[]> {
      for (let row = 0; row < rows; row += 1) yield new Array<Cell>(columns).fill(null);
    }
    const file = xlsxFile(large(), OPTIONS).on('data', () => undefined);
    await expect(finished(file)).rejects.toThrow(RangeError);
  });
});
