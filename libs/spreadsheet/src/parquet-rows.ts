import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';

/** Times as ISO 8601 in UTC with milliseconds, integers as numbers, JSON as values. */
export type ParquetRow = Readonly<Record<string, unknown>>;

/** The rows of a file that `parquetFile` wrote, one row group at a time. @param columns the names of those that are read; else all */
export async function* parquetRows(path: string, columns?: readonly string[]): AsyncGenerator<ParquetRow[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const range = { rowStart, rowEnd, ...(columns && { columns: [...columns] }) };
    const rows = await parquetReadObjects({ file, metadata, ...range, parsers: PARSERS });
    for (const row of rows) for (const name in row) row[name] = asJson(row[name]);
    yield rows;
    rowStart = rowEnd;
  }
}

/** How many rows a file has, by its footer. */
export async function parquetRowCount(path: string): Promise<number> {
  const { num_rows } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  return Number(num_rows);
}

/** A text may begin with the character that marks the order of bytes. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

const PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && UTF8.decode(bytes),
  timestampFromMilliseconds: (milliseconds: bigint) => new Date(Number(milliseconds)).toISOString(),
};

function asJson(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
