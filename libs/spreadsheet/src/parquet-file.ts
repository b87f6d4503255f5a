import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** JavaScript values: times are `Date`s; a long integer may be a `number`. */
export type ParquetType = 'int64' | 'json' | 'text' | 'time';

export interface ParquetColumn<Row> {
  readonly name: string;
  readonly type: ParquetType;
  readonly isNullable: boolean;
  readonly valueOf: (row: Row) => unknown;
}

export interface ParquetFileOptions<Row> {
  readonly columns: readonly ParquetColumn<Row>[];
  /** Approximate bytes of a row. */
  readonly bytesOf: (row: Row) => number;
  readonly metadata: Readonly<Record<string, string>>;
  /** Awaited before each column of a row group, which takes a few milliseconds. */
  readonly pause?: () => Promise<void>;
}

/** Memory holds a row group until it is written, and its footer entry until the end of the file. */
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 4 * 1_024 * 1_024;

/** Approximate bytes of a piece. */
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

/** The writer copies an object without its `__proto__`, unless that object has no prototype. */
const ENCODERS: Partial<Readonly<Record<ParquetType, (value: unknown) => unknown>>> = {
  int64: (value) => BigInt(value as number),
  json: (value) => ({ __proto__: null, toJSON: () => value }),
};

/** Apache Parquet, streamed row group by row group: memory grows by a few bytes per row only. */
export async function* parquetFile<Row>(
  pages: AsyncIterable<readonly Row[]>,
  { columns, bytesOf, metadata, pause }: ParquetFileOptions<Row>,
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

  /** The writer writes all columns of a group without a pause, so each column becomes a group, and all are merged. */
  async function* writeGroup(): AsyncGenerator<Uint8Array> {
    const first = parquet.row_groups.length;
    for (const [index, { name, type }] of columns.entries()) {
      await pause?.();
      const data = values[index]!;
      values[index] = [];
      // Minimum and maximum texts would take more room in the footer than they save readers.
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
  await pause?.();
  await parquet.finish();
  yield taken(writer);
}

function elementOf<Row>({ name, type, isNullable }: ParquetColumn<Row>): SchemaElement {
  return { name, ...ELEMENTS[type], repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' };
}

/** Returns the bytes since the last call. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes();
  writer.buffer = new ArrayBuffer(PIECE_BYTES);
  writer.view = new DataView(writer.buffer);
  writer.index = 0;
  return bytes;
}
