import { Command } from 'commander';
import { bench } from './bench';
import { benchWorst } from './worst/measure-worst';

/** `npm run bench`: see README.md. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('bench').description('measures the services as their images run them');
  program
    .command('rows', { isDefault: true })
    .description('this commit, beside another one and beside bare handlers: a table')
    .argument('[pattern]', 'of the names of rows that are measured', '.')
    .option('--against <commit>', 'measures it, too, in turn with this one')
    .option('--rounds <n>', 'of each row, after one to warm up', Number, 3)
    .option('--write', 'writes the table into docker/growing.md')
    .action((pattern: string, options: { against?: string; rounds: number; write?: true }) =>
      bench({ ...options, pattern: new RegExp(pattern) }),
    );
  program
    .command('worst')
    .description('the most expensive legal input of every route, record type and frame')
    .argument('[pattern]', 'of the names of inputs', '.')
    .option('--runs <n>', 'of each input, after one to warm up', Number, 3)
    .action((pattern: string, { runs }: { runs: number }) => benchWorst(new RegExp(pattern), runs));
  await program.parseAsync([...argv], { from: 'user' });
}
