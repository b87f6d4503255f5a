import { Command, Option } from 'commander';
import { CommandError, withDatabase } from './environment';
import { printResult } from './output';

interface RejectedOptions {
  readonly area: string;
  readonly organization?: string;
  readonly json?: boolean;
}

/** The areas that put records aside. The table of them brings the code of all apps. */
const AREAS = ['contact-center', 'webchat'];

export function rejectedCommand(): Command {
  const command = new Command('rejected').description(
    'records of the stream, and changes of the outbox, that were put aside because their data is at fault',
  );
  command.addCommand(
    withOptions(new Command('list'), 'show them with their reasons: the first 1,000').action(
      async (options: RejectedOptions) => {
        const { listRejected } = await import('@cxp/cxp/rejected-records');
        const result = await withDatabase(async (dataSource) =>
          listRejected(dataSource, await areaOf(options), options.organization),
        );
        const lines = result.rejected.map(({ id, organization, type, key, reason, rejectedAt }) =>
          [id, organization, `${type} ${key}`, rejectedAt, reason].join('\t'),
        );
        const rest = result.total - result.rejected.length;
        const text = [...lines, rest > 0 ? `and ${rest} more` : `${result.total} rejected`].join('\n');
        printResult({ json: result, text }, options.json);
      },
    ),
  );
  command.addCommand(
    withOptions(
      new Command('retry'),
      'store them again, each organization’s in the order of their arrival',
    ).action(async (options: RejectedOptions) => {
      const { retryRejected } = await import('@cxp/cxp/rejected-records');
      const result = await withDatabase(async (dataSource) =>
        retryRejected(dataSource, await areaOf(options), options.organization),
      );
      const { stored, rejected, failures } = result;
      printResult({ json: result, text: `${stored} stored, ${rejected} still rejected.` }, options.json);
      if (failures.length > 0) {
        const [{ organization, reason }] = failures as [(typeof failures)[number]];
        const others = failures.length > 1 ? `, nor those of ${failures.length - 1} more` : '';
        throw new CommandError(
          `the records of organization ${organization} can’t be stored now${others}: ${reason}`,
        );
      }
    }),
  );
  return command;
}

function withOptions(command: Command, description: string): Command {
  return command
    .description(description)
    .addOption(new Option('--area <area>', 'where the records belong').choices(AREAS).makeOptionMandatory())
    .option('--organization <id>', 'only those of this organization')
    .option('--json', 'print one JSON object');
}

async function areaOf({ area }: RejectedOptions) {
  const { streamedAreas } = await import('@cxp/services/areas');
  return streamedAreas.find(({ name }) => name === area)!;
}
