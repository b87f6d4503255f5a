import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { workspaceRoot } from '@cxp/local-servers';
import type { Row } from './rows/row';

/** A measured row: its medians, and its ratios to what was measured beside it. */
export interface Line {
  readonly suite: string;
  readonly row: Row<never>;
  readonly value: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly toOther?: number;
  readonly toBare?: number;
}

/** Where the operators' document has the table. */
const DOCUMENT = join(workspaceRoot, 'docker/growing.md');
const [BEGIN, END] = ['<!-- table of npm run bench: begin -->', '<!-- table of npm run bench: end -->'];

/** Prints the table as Markdown. @returns it */
export function printTable(lines: readonly Line[], here: string, other: string | undefined): string {
  const { model } = cpus()[0]!;
  const gigabytes = Math.round(totalmem() / 1_024 ** 3);
  const table = [
    `${new Date().toISOString().slice(0, 10)}, commit ${here}${other ? ` beside ${other}` : ''}, Node.js ${process.version}, ` +
      `${cpus().length} × ${model.trim()}, ${gigabytes} GB, services, stores and clients on one machine:`,
    '',
    `| what | figure | p50 ms | p99 ms | ${other ? `to ${other} | ` : ''}to bare | aim |`,
    `| --- | --- | --- | --- | ${other ? '--- | ' : ''}--- | --- |`,
    ...lines.flatMap((line, n) => [
      ...(line.suite === lines[n - 1]?.suite
        ? []
        : [`| **${line.suite}** |  |  |  | ${other ? ' | ' : ''} |  |`]),
      lineOf(line, other !== undefined),
    ]),
  ].join('\n');
  console.log(table);
  return table;
}

/** Writes the table into the operators' document. */
export async function writeTable(table: string): Promise<void> {
  const document = await readFile(DOCUMENT, 'utf8');
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${DOCUMENT} has no place for the table`);
  const changed = `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
  const options = { ...(await resolveConfig(DOCUMENT)), filepath: DOCUMENT };
  await writeFile(DOCUMENT, await format(changed, options));
}

function lineOf({ row, value, p50, p99, toOther, toBare }: Line, hasOther: boolean): string {
  const cells = [
    row.name,
    `${rounded(value)} ${row.unit}`,
    rounded(p50),
    rounded(p99),
    ...(hasOther ? [toOther?.toFixed(2) ?? ''] : []),
    toBare?.toFixed(2) ?? '',
    aimOf(row, value, toBare),
  ];
  return `| ${cells.join(' | ')} |`;
}

function rounded(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

/** The aim, in bold if it is missed. */
function aimOf({ aim, unit }: Row<never>, value: number, toBare: number | undefined): string {
  if (!aim) return '';
  const measured = aim.of === 'bare' ? toBare : value;
  const text = aim.least === undefined ? `≤ ${aim.most}` : `≥ ${aim.least}`;
  const named = aim.of === 'bare' ? `${text} of bare` : `${text} ${unit}`;
  if (measured === undefined) return named;
  const isMissed = measured < (aim.least ?? -Infinity) || measured > (aim.most ?? Infinity);
  return isMissed ? `**${named}**` : named;
}
