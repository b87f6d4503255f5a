import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '@cxp/testing';
import type { Rows } from './cell';
import { csvFile, tsvFile } from './delimited-file';
import { xlsxFile } from './xlsx-file';

const next = seededRandom('cells');

/** @param onEnd is called when nobody reads the rows any more */
async function* endless(onRow: () => void, onEnd: () => void = () => undefined): AsyncGenerator<string[]> {
  try {
    for (;;) {
      onRow();
      // What repeats is compressed too well.
      yield [String(next()).repeat(50)];
    }
  } finally {
    onEnd();
  }
}

describe.each<[string, (rows: Rows) => Readable]>([
  ['tsvFile', (rows) => tsvFile(rows, { timeZone: '+07:00', guardFormulas: true })],
  ['csvFile', (rows) => csvFile(rows, { timeZone: '+07:00', guardFormulas: true, hasMark: true })],
  ['xlsxFile', (rows) => xlsxFile(rows, { sheetName: 'Responses', timeZone: '+07:00' })],
])('%s', (_, fileOf) => {
  it('asks for rows no faster than it is read, and ends them when it is destroyed', async () => {
    let taken = 0;
    let file: Readable;
    const ended = new Promise<void>((resolve) => {
      file = fileOf(endless(() => (taken += 1), resolve));
    });
    for (let chunks = 0; chunks < 20; chunks += 1) {
      if (file!.read() === null) await once(file!, 'readable');
    }
    expect(taken).toBeLessThan(10_000);
    file!.destroy();
    await ended;
  });

  it('leaves no rows open when it is destroyed before anybody has read it', async () => {
    let taken = 0;
    let file: Readable;
    const ended = new Promise<void>((resolve) => {
      file = fileOf(endless(() => (taken += 1), resolve));
    });
    await setImmediate();
    file!.destroy();
    if (taken > 0) await ended;
    const takenAtEnd = taken;
    await setImmediate();
    expect(taken).toBe(takenAtEnd);
  });

  it('fails with a cell that cannot be written, and ends its rows', async () => {
    const ended = jest.fn();
    async function* wrong(): AsyncGenerator<Date[]> {
      try {
        for (;;) yield [new Date(NaN)];
      } finally {
        ended();
      }
    }
    await expect(buffer(fileOf(wrong()))).rejects.toThrow('Invalid time value');
    expect(ended).toHaveBeenCalled();
  });

  it('fails when the rows fail', async () => {
    async function* failing(): AsyncGenerator<string[]> {
      yield ['x'];
      throw new Error('connection lost');
    }
    await expect(buffer(fileOf(failing()))).rejects.toThrow('connection lost');
  });
});
