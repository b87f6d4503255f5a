import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { readParquet } from '../test/read-parquet';
import { type ParquetColumn, parquetFile, type ParquetType } from './parquet-file';

type Row = Readonly<Record<string, unknown>>;

const TYPES: readonly ParquetType[] = ['int64', 'json', 'text', 'time'];
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

const asRead = (rows: readonly Row[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
    ),
  );

/** A custom field may have any name. */
const STRANGE: Row = {
  ...Object.fromEntries(COLUMNS.map(({ name }) => [name, null])),
  ...{
    'int64 not null': 2,
    'text not null': '',
    'time not null': new Date(0),
    'json not null': JSON.parse('{"__proto__":{"a":1}}') as unknown,
  },
};

describe('parquetFile, read by DuckDB,', () => {
  it('gives any value of each type back, and its metadata', async () => {
    const values: Readonly<Record<ParquetType, fc.Arbitrary<unknown>>> = {
      int64: fc.maxSafeInteger(),
      json: fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), {
        noNullPrototype: true,
      }),
      // DuckDB's binding drops a byte order mark at the beginning.
      text: fc.string({ unit: 'binary' }).filter((text) => !text.startsWith('\ufeff')),
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
      }),
      { numRuns: runs(7), examples: [[[STRANGE]]] },
    );
  });

  it('has columns of these types', async () => {
    const { types } = await readParquet(await fileOf([]));
    const shown = ['BIGINT', 'JSON', 'VARCHAR', 'TIMESTAMP WITH TIME ZONE'];
    expect(Object.values(types)).toEqual(shown.flatMap((type) => [type, type]));
  });

  it('begins another row group when one has its bytes, and keeps no more than that', async () => {
    const one = (n: number): Row => {
      const values = { int64: n, json: { n }, text: `text ${n}`, time: new Date(n) };
      return Object.fromEntries(COLUMNS.map(({ name, type }) => [name, values[type]]));
    };
    const rows = Array.from({ length: 25 }, (_, n) => one(n));
    const file = await fileOf(rows, () => 1_024 * 1_024);
    const { rows: read, rowGroups } = await readParquet(file);
    expect(rowGroups).toBe(7);
    expect(read).toEqual(asRead(rows));

    let taken = 0;
    async function* endless() {
      for (;;) yield [one((taken += 1))];
    }
    const unending = parquetFile(endless(), { columns: COLUMNS, bytesOf: () => 1_024 * 1_024, metadata: {} });
    for (let pieces = 0; pieces < 5; pieces += 1) await unending.next();
    await unending.return(undefined);
    expect(taken).toBeLessThan(10_000);
  });
});
