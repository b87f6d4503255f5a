import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

export interface ReadParquet {
  /** The types of DuckDB, by column. */
  readonly types: Readonly<Record<string, string>>;
  /** Times as ISO 8601 in UTC with milliseconds, JSON as values: as the API answers them. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly rowGroups: number;
  /** What the footer says, by which readers count without reading: of the file, and the sum of its row groups. */
  readonly counts: readonly number[];
}

/** A Parquet file as DuckDB reads it. */
export async function readParquet(bytes: Buffer): Promise<ReadParquet> {
  const folder = await mkdtemp(join(tmpdir(), 'cxp-parquet-'));
  try {
    const file = join(folder, 'file.parquet');
    await writeFile(file, bytes);
    return await readParquetFiles(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param path of a file, or a pattern */
export async function readParquetFiles(path: string): Promise<ReadParquet> {
  const duckdb = await DuckDBInstance.create(':memory:');
  const connection = await duckdb.connect();
  try {
    const all = async (sql: string) =>
      (await connection.runAndReadAll(sql.replaceAll('$file', `'${path}'`))).getRowObjectsJS();
    const described = await all('DESCRIBE SELECT * FROM read_parquet($file)');
    const types = Object.fromEntries(
      described.map(({ column_name, column_type }) => [column_name as string, column_type as string]),
    );
    const list = Object.entries(types).map(([name, type]) =>
      type.startsWith('TIMESTAMP') ? `epoch_ms("${name}")::DOUBLE AS "${name}"` : `"${name}"`,
    );
    const rows = await all(`SELECT ${list.join(', ')} FROM read_parquet($file)`);
    const metadata = await all(
      'SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata($file)',
    );
    const groups = await all(
      'SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM parquet_metadata($file)',
    );
    const counts = await all(
      `SELECT (SELECT coalesce(sum(num_rows), 0) FROM parquet_file_metadata($file))::INTEGER AS of_file,
         (SELECT coalesce(sum(row_group_num_rows), 0) FROM parquet_metadata($file) WHERE column_id = 0)::INTEGER AS of_groups`,
    );
    return {
      types,
      rows: rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asJson(value, types[name]!)])),
      ),
      metadata: Object.fromEntries(metadata.map(({ key, value }) => [key as string, value as string])),
      rowGroups: groups[0]!.groups as number,
      counts: Object.values(counts[0]!) as number[],
    };
  } finally {
    connection.closeSync();
    duckdb.closeSync();
  }
}

function asJson(value: unknown, type: string): unknown {
  if (value === null) return null;
  if (type.startsWith('TIMESTAMP')) return new Date(value as number).toISOString();
  if (type === 'JSON') return JSON.parse(value as string);
  return typeof value === 'bigint' ? Number(value) : value;
}
