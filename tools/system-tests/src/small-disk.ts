import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);
const NOBODY = 65534;
const DISK_BYTES = 32 * 1024 * 1024;

/** A disk that PostgreSQL keeps some tables on and that can be filled up. */
export interface SmallDisk {
  readonly fill: () => Promise<unknown>;
  readonly free: () => Promise<unknown>;
  /** To be called when PostgreSQL has ended. */
  readonly remove: () => Promise<void>;
}

/**
 * Moves tables to a small disk of their own (a tmpfs, which only root may mount). Without root, the tables get a trigger that raises
 * PostgreSQL's error for a full disk.
 */
export async function moveToSmallDisk(databaseUrl: string, tables: readonly string[]): Promise<SmallDisk> {
  const disk = await mkdtemp(join(tmpdir(), 'cxp-small-disk-'));
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]).then(
    () => true,
    () => false,
  );
  return {
    ...(mounted ? await fillDisk(databaseUrl, tables, disk) : raiseDiskFull(databaseUrl, tables)),
    remove: async () => {
      if (mounted) await run('umount', ['--lazy', disk]);
      await rm(disk, { recursive: true, force: true });
    },
  };
}

async function fillDisk(databaseUrl: string, tables: readonly string[], disk: string) {
  const tablespace = join(disk, 'tablespace');
  const filler = join(disk, 'filler');
  await mkdir(tablespace);
  await chown(tablespace, NOBODY, NOBODY); // As whom PostgreSQL runs when tests run as root.
  await execute(
    databaseUrl,
    `CREATE TABLESPACE small LOCATION '${tablespace}'`,
    ...tables.map((table) => `ALTER TABLE ${table} SET TABLESPACE small`),
  );
  return {
    fill: () => writeFile(filler, Buffer.alloc(DISK_BYTES)).catch(() => undefined),
    free: () => rm(filler),
  };
}

function raiseDiskFull(databaseUrl: string, tables: readonly string[]) {
  return {
    fill: () =>
      execute(
        databaseUrl,
        `CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
        ...tables.map(
          (table) => `CREATE TRIGGER disk_full BEFORE INSERT ON ${table} EXECUTE FUNCTION disk_full()`,
        ),
      ),
    free: () => execute(databaseUrl, 'DROP FUNCTION disk_full() CASCADE'),
  };
}

async function execute(databaseUrl: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
