import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOfUnpacked, unpackedDebianPackage } from './debian-packages';

/** Programs of one version of PostgreSQL, those for backups among them. */
export interface PostgresBinaries {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Where Debian's packages have the programs of PostgreSQL 15. */
const DEBIAN_15 = '/usr/lib/postgresql/15/bin';

/**
 * PostgreSQL 15, the oldest that the services run on: as it is installed, else Debian 12's package, unpacked under `.local/`
 * on first use.
 */
export async function oldestPostgres(): Promise<PostgresBinaries> {
  if (existsSync(join(DEBIAN_15, 'postgres'))) return { directory: DEBIAN_15, env: process.env };
  const root = await unpackedDebianPackage('postgresql-15');
  return { directory: join(root, DEBIAN_15), env: environmentOfUnpacked(root) };
}
