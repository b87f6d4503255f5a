import { access, readFile, writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, UsageError } from './errors';
import { followedAreas } from './followed-area';
import { checkSeal, makeSeal } from './seal';
import { isFile, openTarget, parseTarget } from './target';

interface SealOptions {
  readonly to: string;
  readonly area?: string;
  readonly startDate?: string;
  readonly endDate?: string;
  readonly output?: string;
  readonly check?: string;
}

export function sealCommand(): Command {
  return new Command('seal')
    .description('write what a closed period of a copy looked like, or show what is different now')
    .requiredOption('--to <target>', 'the copy: postgres://… or FILE.duckdb', parseTarget)
    .addOption(
      new Option('--area <area>', 'if the database has copies of both').choices(
        followedAreas.map(({ name }) => name),
      ),
    )
    .option('--start-date <day>', 'first day, in the timezone of the copy', parseDay)
    .option('--end-date <day>', 'last day', parseDay)
    .option('--output <file>', 'where the seal is written; else to standard output')
    .option('--check <file>', 'a seal: shows the days that are different now, and with a history their rows')
    .action(seal);
}

async function seal({ to, area, startDate, endDate, output, check }: SealOptions): Promise<void> {
  if (to === '-') throw new UsageError('--to is the copy: postgres://… or FILE.duckdb');
  if (check !== undefined && (startDate ?? endDate ?? output) !== undefined)
    throw new UsageError('--check stands alone: days are those of the seal');
  if (check === undefined && (startDate === undefined || endDate === undefined || startDate > endDate))
    throw new UsageError('--start-date and a later or equal --end-date are needed, or --check');
  const sealed = check === undefined ? undefined : await readFile(check, 'utf8');
  // DuckDB would create it.
  if (isFile(to)) await access(to);
  const database = await openTarget(to);
  try {
    if (sealed === undefined) {
      const text = await makeSeal(database, startDate!, endDate!, area);
      if (output === undefined) process.stdout.write(text);
      else await writeFile(output, text);
      return;
    }
    const lines = await checkSeal(database, sealed);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length > 0) throw new CommandError('the period is not as it was sealed');
    process.stdout.write('all is as it was sealed\n');
  } finally {
    await database.close();
  }
}

function parseDay(day: string): string {
  const time = Date.parse(day);
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(day))
    return day;
  throw new InvalidArgumentError('It must be a day, for instance 2026-03-01.');
}
