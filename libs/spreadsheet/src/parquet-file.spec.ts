import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { readParquet } from '../test/read-parquet';
import {
  type ParquetColumn,
  parquetFile,
  type ParquetRow,
  parquetRowCount,
  parquetRows,
  type ParquetType,
} from './parquet-file';

type Row = Readonly<Record<string, unknown>>;

const TYPES: readonly ParquetType[] = ['boolean', 'double', 'int32', 'int64', 'json', 'text', 'time'];
const COLUMNS: ParquetColumn<Row>[] = TYPES.flatMap((type) =>
  [true, false].map((isNullable) => {
    const name = isNullable ? type : `${type} not null`;
    return { name, type, isNullable, valueOf: ({ [name]: value }: Row) => value };
  }),
);

async function* pagesOf(rows: readonly Row[], size = 7): AsyncGenerator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}

const fileOf = (rows: readonly Row[], bytesOf: (row: Row) => number = () => 0) =>
  buffer(parquetFile(pagesOf(rows), { columns: COLUMNS, bytesOf, metadata: { window: '{"a":"ế"}' } }));

/** As `parquetRows` reads them, whose row groups give their number of rows together. */
async function rowsOf(bytes: Buffer, columns?: string[]): Promise<ParquetRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cxp-parquet-'));
  const path = join(folder, 'file.parquet');
  await writeFile(path, bytes);
  const rows = (await Readable.from(parquetRows(path, columns)).toArray()).flat() as ParquetRow[];
  expect(await parquetRowCount(path)).toBe(rows.length);
  await rm(folder, { recursive: true });
  return rows;
}

const asRead = (rows: readonly Row[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
    ),
  );

/** A custom field may have any name. */
const STRANGE: Row = {
  ...Object.fromEntries(COLUMNS.map(({ name }) => [name, null])),
  ...{ 'boolean not null': true, 'double not null': 0.5, 'int32 not null': 1, 'int64 not null': 2 },
  ...{
    'text not null': '',
    'time not null': new Date(0),
    'json not null': JSON.parse('{"__proto__":{"a":1}}') as unknown,
  },
};

describe('parquetFile, read by DuckDB,', () => {
  it('gives any value of each type back, and its metadata', async () => {
    const values: Readonly<Record<ParquetType, fc.Arbitrary<unknown>>> = {
      boolean: fc.boolean(),
      double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0 || 0),
      int32: fc.integer(),
      int64: fc.maxSafeInteger(),
      json: fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), {
        noNullPrototype: true,
      }),
      text: fc.string({ unit: 'binary' }),
      time: fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }),
    };
    const row = fc.record(
      Object.fromEntries(
        COLUMNS.map(({ name, type, isNullable }) => [
          name,
          isNullable ? fc.option(values[type]) : values[type],
        ]),
      ),
      { noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
        const file = await fileOf(rows);
        const read = await readParquet(file);
        expect(read.rows).toEqual(asRead(rows));
        expect(read.counts).toEqual([rows.length, rows.length]);
        expect(read.metadata).toEqual({ window: '{"a":"ế"}' });
        expect(await rowsOf(file)).toEqual(asRead(rows));
      }),
      { numRuns: runs(7), examples: [[[STRANGE]]] },
    );
  });

  // DuckDB's binding drops it.
  it('has a text that begins with a byte order mark, by our own reader', async () => {
    const row = { ...STRANGE, 'text not null': '\ufeffa', text: '\ufeff' };
    expect(await rowsOf(await fileOf([row]))).toEqual(asRead([row]));
  });

  it('has columns of these types', async () => {
    const { types } = await readParquet(await fileOf([]));
    const shown = ['BOOLEAN', 'DOUBLE', 'INTEGER', 'BIGINT', 'JSON', 'VARCHAR', 'TIMESTAMP WITH TIME ZONE'];
    expect(Object.values(types)).toEqual(shown.flatMap((type) => [type, type]));
  });

  it('begins another row group when one has its bytes, and keeps no more than that', async () => {
    const one = (n: number): Row =>
      Object.fromEntries(
        COLUMNS.map(({ name, type }) => {
          const values: Record<ParquetType, unknown> = {
            boolean: n % 2 === 0,
            double: n / 2,
            int32: n,
            int64: n,
            json: { n },
            text: `text ${n}`,
            time: new Date(n),
          };
          return [name, values[type]];
        }),
      );
    const rows = Array.from({ length: 25 }, (_, n) => one(n));
    const file = await fileOf(rows, () => 1_024 * 1_024);
    const { rows: read, rowGroups } = await readParquet(file);
    expect(rowGroups).toBe(7);
    expect(read).toEqual(asRead(rows));
    expect(await rowsOf(file)).toEqual(asRead(rows));
    expect(await rowsOf(file, ['int64'])).toEqual(rows.map(({ int64 }) => ({ int64 })));

    let taken = 0;
    async function* endless() {
      for (;;) yield [one((taken += 1))];
    }
    const unending = parquetFile(endless(), { columns: COLUMNS, bytesOf: () => 1_024 * 1_024, metadata: {} });
    const turns: number[] = [];
    for (let pieces = 0; pieces < 5; pieces += 1) {
      await unending.next();
      turns.push(taken);
    }
    await unending.return(undefined);
    expect(Math.max(...turns)).toBeLessThan(100_000);
  });
});
