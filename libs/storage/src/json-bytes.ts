/** SQL: a function `json_bytes` of a schema, for generated columns that hold how large the JSON of a row is as text. */
export function createJsonBytes(schema: string): string {
  return `
  CREATE FUNCTION ${schema}.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
    RETURN coalesce(octet_length($1::text), 0);`;
}
