import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** What a column holds, as values of JavaScript: times are `Date`s, and a long integer is a `number`, too. */
export type ParquetType = 'int64' | 'json' | 'text' | 'time';

export interface ParquetColumn<Row> {
  readonly name: string;
  readonly type: ParquetType;
  /** Whether its values may be null. */
  readonly isNullable: boolean;
  readonly valueOf: (row: Row) => unknown;
}

export interface ParquetFileOptions<Row> {
  readonly columns: readonly ParquetColumn<Row>[];
  /** About how many bytes a row holds. */
  readonly bytesOf: (row: Row) => number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Waited for before each column of a row group: a few milliseconds of work. */
  readonly turn?: () => Promise<void>;
}

/** A row group is kept in memory until it is written; its entry in the footer is kept until the end of the file. */
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 4 * 1_024 * 1_024;

/** Bytes are handed over in pieces of about this size. */
const PIECE_BYTES = 64 * 1_024;

type Element = Omit<SchemaElement, 'name' | 'repetition_type'>;

const ELEMENTS: Readonly<Record<ParquetType, Element>> = {
  int64: { type: 'INT64' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** Values that the writer doesn't take as they are. It copies an object without its `__proto__`, unless that object has no prototype. */
const ENCODERS: Partial<Readonly<Record<ParquetType, (value: unknown) => unknown>>> = {
  int64: (value) => BigInt(value as number),
  json: (value) => ({ __proto__: null, toJSON: () => value }),
};

/** Apache Parquet, written row group by row group while it is read, in memory that grows by some bytes for each row only. */
export async function* parquetFile<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { columns, bytesOf, metadata, turn }: ParquetFileOptions<Row>,
): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: 'cxp',
  });
  let values: unknown[][] = columns.map(() => []);
  let [rows, bytes, total] = [0, 0, 0];

  /** The writer writes all columns of a group in one turn: here each one is a group, and all of them are made one. */
  async function* writeGroup(): AsyncGenerator<Uint8Array> {
    const first = parquet.row_groups.length;
    for (const [index, { name, type }] of columns.entries()) {
      await turn?.();
      const data = values[index]!;
      values[index] = [];
      // Least and greatest text would take more room at the end of the file than they save readers.
      const statistics = type !== 'text' && type !== 'json';
      await parquet.write({ columnData: [{ name, data, statistics }], rowGroupSize: rows });
      if (writer.index >= PIECE_BYTES) yield taken(writer);
    }
    const groups = parquet.row_groups.splice(first);
    parquet.row_groups.push({
      columns: groups.flatMap((group) => group.columns),
      total_byte_size: groups.reduce((sum, group) => sum + group.total_byte_size, 0n),
      total_compressed_size: groups.reduce((sum, group) => sum + (group.total_compressed_size ?? 0n), 0n),
      num_rows: BigInt(rows),
    });
    total += rows;
    values = columns.map(() => []);
    [rows, bytes] = [0, 0];
  }

  for await (const page of pages) {
    for (const row of page) {
      for (const [index, { type, valueOf }] of columns.entries()) {
        const value = valueOf(row) ?? null;
        values[index]!.push(value === null ? null : (ENCODERS[type]?.(value) ?? value));
      }
      rows += 1;
      bytes += bytesOf(row);
      if (rows >= GROUP_ROWS || bytes >= GROUP_BYTES) yield* writeGroup();
    }
  }
  if (rows > 0) yield* writeGroup();
  parquet.num_rows = BigInt(total);
  await turn?.();
  await parquet.finish();
  yield taken(writer);
}

function elementOf<Row>({ name, type, isNullable }: ParquetColumn<Row>): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' };
}

/** What was written since the last time. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes();
  writer.buffer = new ArrayBuffer(PIECE_BYTES);
  writer.view = new DataView(writer.buffer);
  writer.index = 0;
  return bytes;
}
