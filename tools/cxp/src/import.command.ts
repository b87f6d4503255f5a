import { createReadStream, statSync } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { Command, Option } from 'commander';
import { OrganizationRepository } from '@cxp/access';
import { services } from '@cxp/services/services';
import { CommandError, withDatabase } from './environment';
import { printResult } from './output';
import { RejectedLines } from './rejected-lines';

interface ImportOptions {
  readonly area: string;
  readonly organization: string;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('load platform records; bad lines go to <name>.rejected.ndjson and the rest is loaded')
    .argument('<file>', 'NDJSON, or - for standard input')
    .addOption(
      new Option('--area <area>', 'where the records belong')
        .choices(services.map(({ area }) => area))
        .makeOptionMandatory(),
    )
    .requiredOption('--organization <id>', 'the organization whose records they are')
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: ImportOptions) => {
      // Loaded here: they bring the code of all apps.
      const { recordAreas } = await import('@cxp/services/areas');
      const { importRecords } = await import('@cxp/cxp/import-records');
      const area = recordAreas.find(({ name }) => name === options.area)!;
      const progress = showProgress(file);
      const rejected = new RejectedLines(file);
      try {
        const accepted = await withDatabase(async (dataSource) => {
          if (!(await new OrganizationRepository(dataSource.manager).exists(options.organization))) {
            throw new CommandError(`there is no organization ${options.organization}`);
          }
          const input = progress.counted(openInput(file));
          return importRecords(dataSource, area, options.organization, input, rejected);
        });
        progress.stop();
        rejected.removeEarlier();
        const summary = { accepted, rejected: rejected.count, rejectedFile: rejected.file };
        printResult({ json: summary, text: describe(summary) }, options.json);
      } finally {
        progress.stop();
        await rejected.close();
      }
      if (rejected.count > 0)
        throw new CommandError(
          `${rejected.count} ${rejected.count === 1 ? 'line was' : 'lines were'} rejected: ${rejected.file}`,
        );
    });
}

function openInput(file: string): AsyncIterable<Buffer> {
  return file === '-' ? process.stdin : createReadStream(file);
}

/** A progress bar on standard error, if standard error is a terminal. */
function showProgress(file: string): { counted: typeof count; stop: () => void } {
  const size = file === '-' ? 0 : statSync(file).size;
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {value}/{total} bytes',
    stream: process.stderr,
  });
  const visible = process.stderr.isTTY && size > 0;
  if (visible) bar.start(size, 0);
  async function* count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk;
      if (visible) bar.increment(chunk.length);
    }
  }
  return { counted: count, stop: () => bar.stop() };
}

function describe(summary: { accepted: number; rejected: number; rejectedFile: string | null }): string {
  const rest = summary.rejected > 0 ? `, ${summary.rejected} rejected (${summary.rejectedFile})` : '';
  return `${summary.accepted} ${summary.accepted === 1 ? 'record' : 'records'} loaded${rest}.`;
}
