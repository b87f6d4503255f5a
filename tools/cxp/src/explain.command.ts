import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { RowExplanation } from '@cxp/contact-center-export/explanations/explanation.dto';
import { requireOrganization, withDatabase } from './database';
import type { ExplainedRows } from './explain-conversation';
import { CommandError, organizationOption, printResult } from './environment';

interface ExplainOptions {
  readonly organization: string;
  readonly timezone?: string;
  readonly schedule?: string;
  readonly json?: boolean;
}

export function explainCommand(): Command {
  return new Command('explain')
    .description('show why each figure of the rows of a conversation is what it is')
    .argument('<conversation>', 'its id')
    .addOption(organizationOption('the organization of the conversation'))
    .option('--timezone <name>', 'whose business hours count (default: as B1)')
    .option('--schedule <file>', 'a human schedule (JSON) in place of the stored one')
    .option('--json', 'print one JSON object')
    .action(async (conversation: string, { schedule: file, json, ...options }: ExplainOptions) => {
      const schedule = file === undefined ? undefined : await readSchedule(file);
      // Loaded by the command that needs it: it brings the code of an app.
      const { contactCenterDatabase, explainConversation } = await import('@cxp/cxp/explain-conversation');
      const explained = { ...options, conversation, schedule };
      const explanation = await withDatabase(
        async (dataSource) => {
          await requireOrganization(dataSource, explained.organization);
          return explainConversation(dataSource, explained);
        },
        [contactCenterDatabase],
      );
      printResult({ json: explanation, text: linesOf(explanation) }, json);
    });
}

async function readSchedule(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`${file} is no JSON`);
  }
}

/** Longest list of intervals of a metric. */
const MAX_INTERVALS = 12;
type Metric = RowExplanation['metrics'][keyof RowExplanation['metrics']];
type Hours = RowExplanation['metrics']['waitTimeBusinessHoursSeconds'];

/** A line for each anchor, metric and interval, and one for its rule. */
function linesOf({ conversationId, timezone, rows, noRows }: ExplainedRows): string[] {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const time = (at: string) => clock.format(new Date(at));
  // What has not happened comes last.
  const timeOf = (at: string | null) => (at === null ? Number.MAX_VALUE : Date.parse(at));

  const anchorLines = ({ anchors, session, ticket, satisfaction }: RowExplanation) => {
    const points = [
      ...Object.entries(anchors).map(([name, anchor]) => ({ name, ...anchor })),
      ...(session
        ? [{ name: 'session opens', at: session.opened.at, record: session.opened, rule: '' }]
        : []),
      ...(session?.closed
        ? [{ name: 'session closes', at: session.closed.at, record: session.closed, rule: '' }]
        : []),
      ...(ticket ? [{ name: 'ticket', at: ticket.at, record: null, rule: ticket.rule }] : []),
      { name: 'survey', at: satisfaction.record?.at ?? null, ...satisfaction },
    ].sort((a, b) => timeOf(a.at) - timeOf(b.at));
    return points.flatMap(({ name, at, record, rule }) => [
      `  ${(at === null ? '-' : time(at)).padEnd(19)}  ${name.padEnd(22)} ` +
        (record ? `${record.type} ${record.id}` : ''),
      ...(rule === '' ? [] : [`    ${rule}`]),
    ]);
  };

  const metricLines = ([name, metric]: [string, Metric]) => [
    `  ${`${metric.seconds ?? '-'}`.padStart(9)}  ${name}`,
    `    ${metric.rule}`,
    ...('counted' in metric ? hoursLines(metric) : []),
  ];

  const hoursLines = ({ counted, omitted, truncated }: Hours) => {
    const parts = [...counted.map((part) => ({ ...part, reason: 'counted' })), ...omitted];
    parts.sort((a, b) => a.from.localeCompare(b.from));
    const shown = parts
      .slice(0, MAX_INTERVALS)
      .map(({ from, to, reason }) => `    ${time(from)} to ${time(to)}  ${reason}`);
    const more = parts.length - shown.length;
    const rest = more > 0 || truncated ? [`    … ${more} more${truncated ? ' at least' : ''}`] : [];
    return [...shown, ...rest];
  };

  const handover = noRows?.handedOverAt ? `handed over at ${time(noRows.handedOverAt)}, ` : '';
  return [
    `Conversation ${conversationId}, times of ${timezone}`,
    ...(noRows ? [`No rows: ${handover}taken by no agent yet.`] : []),
    ...rows.flatMap((row) => [
      '',
      titleOf(row),
      ...(row.session ? [`    ${row.session.rule}`] : []),
      ...anchorLines(row),
      ...Object.entries(row.metrics).flatMap(metricLines),
    ]),
  ];
}

function titleOf({ sessionIndex, ticketId }: RowExplanation): string {
  const parts = [
    sessionIndex === null ? 'no session' : `session ${sessionIndex}`,
    ticketId === null ? 'no ticket' : `ticket ${ticketId}`,
  ];
  return `Row: ${parts.join(', ')}`;
}
