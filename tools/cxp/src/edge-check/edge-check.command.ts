import { Command, Option } from 'commander';
import { CommandError, printResult, UsageError } from '../environment';
import { areaAt, AREAS, checkEdge, failureOf, type EdgeCheckOptions } from './edge-check';

interface Options extends EdgeCheckOptions {
  readonly area?: string;
  readonly json?: boolean;
}

export function edgeCheckCommand(): Command {
  return new Command('edge-check')
    .description(
      'show whether a gateway does what the services need of it; CXP_TOKEN is a token for more checks',
    )
    .argument('<url>', 'the address of one area, as clients have it')
    .addOption(new Option('--area <name>', 'default: that whose service answers').choices(Object.keys(AREAS)))
    .option('--internal <url>', 'where the service answers /metrics')
    .option('--organization <id>', 'that of CXP_TOKEN')
    .option('--json', 'print one JSON object')
    .action(async (address: string, { json, area, ...options }: Options) => {
      if (!URL.canParse(address) || !/^https?:/.test(address)) throw new UsageError(`${address} is no URL`);
      const url = new URL(address);
      const found = await areaAt(url).catch((error: Error) => {
        throw new CommandError(`${address} does not answer: ${failureOf(error)}`);
      });
      if (!found || (area && area !== found))
        throw new CommandError(
          `${address}: /external is not answered by ${area ? `a service of ${area}` : 'a service'}`,
        );
      const findings = await checkEdge(url, found, { ...options, token: process.env.CXP_TOKEN });
      const checks = findings.map(([name, [result, detail]]) => ({ name, result, detail }));
      const lines = checks.map(({ name, result, detail }) => `${result}  ${name}: ${detail}`);
      printResult({ json: { url: address, checks }, text: lines.join('\n') }, json);
      if (checks.some(({ result }) => result === 'red')) process.exitCode = 1;
    });
}
