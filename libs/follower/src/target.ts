import { access } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { type CopyDatabase, UsageError } from './database';
import { DuckdbDatabase } from './duckdb';
import { DEFAULT_SCHEMA, PostgresDatabase } from './postgres';

/** Followed if no option names a service. */
export interface Demo {
  readonly organizationId: string;
  readonly token: string;
  readonly urls: Readonly<Record<string, string>>;
}

const POSTGRES = /^postgres(ql)?:\/\//;
const DUCKDB = /[^/\\]\.duckdb$/;

/** @throws InvalidArgumentError that lists the targets */
export function parseTarget(target: string): string {
  if (target === '-' || POSTGRES.test(target) || DUCKDB.test(target)) return target;
  throw new InvalidArgumentError('It must be a postgres:// URL, FILE.duckdb, or - for standard output.');
}

/** @throws UsageError; an empty one is none */
export function parseUrl(url: string): string {
  if (url === '' || (URL.canParse(url) && /^https?:\/\//.test(url))) return url;
  throw new UsageError(`${url} is not an http(s) URL`);
}

/** Schemas of the databases themselves. */
const RESERVED = /^(pg_.*|information_schema|system|temp)$/;

export function schemaOption(): Option {
  return new Option(
    '--schema <name>',
    'the schema that the copy is in: one for each organization and timezone',
  )
    .default(DEFAULT_SCHEMA)
    .argParser((name) => {
      if (/^[a-z_][a-z0-9_]{0,62}$/.test(name) && !RESERVED.test(name)) return name;
      throw new InvalidArgumentError(
        "It must be a name of a-z, 0-9 and _ that is none of the database's own schemas, for instance acme.",
      );
    });
}

/**
 * @param maxWaitMs for a file that another program has open
 * @throws CommandError if its package is not installed, UsageError if a file has the schema's name
 */
export function openTarget(target: string, schema: string, maxWaitMs?: number): Promise<CopyDatabase> {
  if (POSTGRES.test(target)) return PostgresDatabase.open(target, schema);
  return DuckdbDatabase.open(target, schema, maxWaitMs);
}

/** A copy that is only read. */
export async function openCopy(target: string, schema: string): Promise<CopyDatabase> {
  if (target === '-') throw new UsageError('--to is the copy: postgres://… or FILE.duckdb');
  // DuckDB would create it.
  if (DUCKDB.test(target)) await access(target);
  return openTarget(target, schema);
}
