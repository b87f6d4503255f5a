import { InvalidArgumentError } from 'commander';
import type { CopyDatabase } from './database';
import { DuckdbDatabase } from './duckdb-database';
import { PostgresDatabase } from './postgres-database';

const POSTGRES = /^postgres(ql)?:\/\//;
const DUCKDB = /[^/\\]\.duckdb$/;

export const isFile = (target: string) => DUCKDB.test(target);

/** @throws InvalidArgumentError that lists the targets */
export function parseTarget(target: string): string {
  if (target === '-' || POSTGRES.test(target) || isFile(target)) return target;
  throw new InvalidArgumentError('It must be a postgres:// URL, FILE.duckdb, or - for standard output.');
}

/** @throws CommandError if its package is not installed */
export function openTarget(target: string): Promise<CopyDatabase> {
  return POSTGRES.test(target) ? PostgresDatabase.open(target) : DuckdbDatabase.open(target);
}
