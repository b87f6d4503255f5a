import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { accessDatabase, OrganizationRepository } from '@cxp/auth-headers';
import { type DatabaseSchema, openDatabase } from '@cxp/storage';
import { CommandError, setting } from './environment';

/** Standard output is for results. */
export function logToStandardError(): void {
  const log = (message: unknown) => void process.stderr.write(`${String(message)}\n`);
  Logger.overrideLogger({ log, warn: log, error: log });
}

/** @throws CommandError if it is no URL: pg takes any text for a URL of some host */
export function databaseUrl(name: string): string {
  const url = setting(name);
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  throw new CommandError(`${name} is no URL of PostgreSQL (postgres://user:password@host/database)`);
}

/** Opens the database for as long as `use` takes. @param areas whose entities are used beside those of access */
export async function withDatabase<Result>(
  use: (dataSource: DataSource) => Promise<Result>,
  areas: readonly DatabaseSchema[] = [],
): Promise<Result> {
  logToStandardError();
  const dataSource = await openDatabase(
    databaseUrl('DATABASE_URL'),
    [...new Set([accessDatabase, ...areas])],
    {
      applicationName: 'cxp',
      poolSize: 2,
      // Behind a pooler the command before may have prepared the same statements.
      extra: { isPooled: true },
    },
  );
  try {
    return await use(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** @throws CommandError if there is no such organization */
export async function requireOrganization({ manager }: DataSource, id: string): Promise<void> {
  if (await new OrganizationRepository(manager).exists(id)) return;
  throw new CommandError(`there is no organization ${id}`);
}
