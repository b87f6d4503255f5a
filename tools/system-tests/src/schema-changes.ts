import { Client } from 'pg';

/** What statements of another release notice of the areas' schemas: by its name, what it is. */
export interface Schema {
  readonly columns: ReadonlyMap<string, string>;
  /** That a statement which does not name the column fails. */
  readonly demanded: ReadonlySet<string>;
  /** What rows have to fulfil, by the table. */
  readonly rules: ReadonlyMap<string, readonly string[]>;
}

const OWN_TABLES = `
  SELECT pg_class.oid, nspname || '.' || relname AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relkind IN ('r', 'p') AND nspname !~ '^(pg_|information_schema$|public$)'`;

export async function readSchema(databaseUrl: string): Promise<Schema> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const columns = await client.query<{ name: string; type: string; demanded: boolean }>(
      `SELECT own.name || '.' || attname AS name, format_type(atttypid, atttypmod) AS type,
         attnotnull AND NOT atthasdef AND attidentity = '' AS demanded
       FROM (${OWN_TABLES}) AS own JOIN pg_attribute ON attrelid = own.oid AND attnum > 0 AND NOT attisdropped`,
    );
    const rules = await client.query<{ name: string; rules: string[] }>(
      `SELECT own.name, array_agg(rule ORDER BY rule) AS rules
       FROM (${OWN_TABLES}) AS own JOIN (
         SELECT conrelid AS oid, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype <> 'n'
         UNION ALL SELECT indrelid, pg_get_indexdef(indexrelid) FROM pg_index WHERE indisunique
       ) AS given (oid, rule) USING (oid)
       GROUP BY own.name`,
    );
    return {
      columns: new Map(columns.rows.map(({ name, type }) => [name, type])),
      demanded: new Set(columns.rows.flatMap(({ name, demanded }) => (demanded ? [name] : []))),
      rules: new Map(rules.rows.map(({ name, rules }) => [name, rules])),
    };
  } finally {
    await client.end();
  }
}

/** What a release that knows only the first schema can't know of the second, and fails at. */
export function narrowings(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.columns.keys()].map(tableOf));
  const changed = [...before.columns].flatMap(([name, type]) => {
    const now = after.columns.get(name);
    if (!now) return [`${name} is gone`];
    return now === type ? [] : [`${name} was ${type} and is ${now}`];
  });
  const demanded = [...after.demanded].filter(
    (name) => tables.has(tableOf(name)) && !before.demanded.has(name),
  );
  const rules = [...tables].flatMap((table) =>
    (after.rules.get(table) ?? [])
      .filter((rule) => !before.rules.get(table)?.includes(rule))
      .map((rule) => `${table} has a new rule: ${rule}`),
  );
  return [...changed, ...demanded.map((name) => `${name} has to be given now`), ...rules];
}

function tableOf(column: string): string {
  return column.slice(0, column.lastIndexOf('.'));
}
