import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { readXlsx } from '../../test/read-tables';
import type { Cell } from './cell';
import { xlsxFile } from './xlsx-file';

async function* rowsOf(rows: Cell[][]): AsyncGenerator<Cell[]> {
  yield* rows;
}

const readBack = async (rows: Cell[][]) => readXlsx(await buffer(xlsxFile(rowsOf(rows))));

describe('xlsxFile', () => {
  it('gives texts, numbers and empty cells back as they are, formulas as text', async () => {
    const rows = [
      ['Tên', 'Điểm', 'Ghi chú'],
      ['Hà 😀\nNội', 4.5, null],
      ['=1+1', -3, '<b>&amp;"\t\''],
      ['+84 90 123', 0, '  đầu và cuối  '],
    ];
    expect(await readBack(rows)).toEqual(rows);
  });

  it('gives any text back, control characters and what looks like an escape included', async () => {
    const unit = fc.oneof(
      fc.constantFrom('_x0041_', '_', '\r', '\u0007', '\uffff', '&lt;', 'ế'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit }), { minLength: 1, maxLength: 5 }), async (texts) => {
        expect(await readBack([texts])).toEqual([texts.map((text) => text || null)]);
      }),
    );
  });

  it('cuts a text at what a cell may hold, and leaves no half character behind', async () => {
    const [[cell]] = (await readBack([[`${'x'.repeat(32_766)}😀`]])) as [[string]];
    expect(cell).toBe(`${'x'.repeat(32_766)}\ufffd`);
  });

  it('asks for rows no faster than the file is read, and ends them when it is destroyed', async () => {
    let taken = 0;
    let file: Readable | undefined;
    const ended = new Promise<void>((resolve) => {
      async function* endless(): AsyncGenerator<Cell[]> {
        try {
          for (;;) {
            taken += 1;
            yield [String(Math.random()).repeat(50)];
          }
        } finally {
          resolve();
        }
      }
      file = xlsxFile(endless());
    });
    for (let chunks = 0; chunks < 20; chunks += 1) {
      if (file!.read() === null) await once(file!, 'readable');
    }
    expect(taken).toBeLessThan(10_000);
    file!.destroy();
    await ended;
  });

  it('fails when the rows fail', async () => {
    async function* failing(): AsyncGenerator<Cell[]> {
      yield ['x'];
      throw new Error('connection lost');
    }
    await expect(buffer(xlsxFile(failing()))).rejects.toThrow('connection lost');
  });
});
