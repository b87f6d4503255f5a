import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { Command } from 'commander';
import type {
  ConversationExplanation,
  RowExplanation,
} from '@cxp/contact-center-export/explanations/explanation.dto';
import { requireOrganization, withDatabase } from './database';
import { CommandError, organizationOption, printResult } from './environment';

interface ExplainOptions {
  readonly organization: string;
  readonly timezone: string;
  readonly schedule?: string;
  readonly json?: boolean;
}

export function explainCommand(): Command {
  return new Command('explain')
    .description('show why each figure of the rows of a conversation is what it is, as a timeline')
    .argument('<conversation>', 'its id')
    .addOption(organizationOption('the organization of the conversation'))
    .option('--timezone <name>', 'whose business hours count', 'Asia/Singapore')
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
      const text = timelineOf(explanation, { color: process.stdout.isTTY });
      printResult({ json: explanation, text }, json);
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

export interface TimelineOptions {
  /** Whether the terminal shows colours: the text says the same without. */
  readonly color: boolean;
}

const COLUMNS = 80;
/** Longest list of intervals of a metric. */
const MAX_INTERVALS = 12;
const PARTS = {
  counted: { sign: '█', style: 'green' },
  closed: { sign: '·', style: 'gray' },
  exception: { sign: 'x', style: 'yellow' },
  no_schedule: { sign: '·', style: 'gray' },
  out_of_range: { sign: '·', style: 'gray' },
} as const;
type Part = { readonly from: string; readonly to: string; readonly kind: keyof typeof PARTS };
type Metric = RowExplanation['metrics'][keyof RowExplanation['metrics']];

/** An explanation as a timeline of at most 80 columns, with a line of its own for each anchor, metric and interval. */
export function timelineOf(
  { conversationId, timezone, rows }: ConversationExplanation,
  { color }: TimelineOptions,
): string {
  const style = (name: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(name, text, { validateStream: false }) : text;
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const time = (at: string) => clock.format(new Date(at));
  // What has not happened comes last.
  const timeOf = (at: string | null) => (at === null ? Number.MAX_VALUE : Date.parse(at));
  const why = (rule: string) => wrapped(rule, 4).map((line) => style('gray', line));

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
      `  ${(at === null ? '-' : time(at)).padEnd(19)}  ${style('bold', name.padEnd(22))} ` +
        (record ? `${record.type} ${record.id}` : ''),
      ...(rule === '' ? [] : why(rule)),
    ]);
  };

  const metricLines = ([name, metric]: [string, Metric]) => [
    `  ${style('bold', `${metric.seconds ?? '-'}`.padStart(9))}  ${name}`,
    ...why(metric.rule),
    ...('counted' in metric ? hoursLines(partsOf(metric), metric.truncated) : []),
  ];

  const hoursLines = (parts: readonly Part[], isTruncated?: boolean) => {
    if (parts.length === 0) return [];
    const shown = parts
      .slice(0, MAX_INTERVALS)
      .map(
        ({ from, to, kind }) =>
          `    ${style(PARTS[kind].style, PARTS[kind].sign)} ${time(from)} to ${time(to)}  ${kind}`,
      );
    const more = parts.length - shown.length;
    const rest = more > 0 || isTruncated ? [`    … ${more} more${isTruncated ? ' at least' : ''}`] : [];
    return [`    ${bar(parts, style)}`, ...shown, ...rest];
  };

  return [
    `Conversation ${conversationId}, times of ${timezone}`,
    ...rows.flatMap((row) => [
      '',
      style('bold', titleOf(row)),
      ...(row.session ? why(row.session.rule) : []),
      ...anchorLines(row),
      ...Object.entries(row.metrics).flatMap(metricLines),
    ]),
    '',
  ].join('\n');
}

function titleOf({ sessionIndex, ticketId }: RowExplanation): string {
  const parts = [
    sessionIndex === null ? 'no session' : `session ${sessionIndex}`,
    ticketId === null ? 'no ticket' : `ticket ${ticketId}`,
  ];
  return `Row: ${parts.join(', ')}`;
}

/** What counts and what does not, in order. */
function partsOf({
  counted,
  omitted,
}: Pick<RowExplanation['metrics']['waitTimeBusinessHoursSeconds'], 'counted' | 'omitted'>): Part[] {
  return [
    ...counted.map((interval) => ({ ...interval, kind: 'counted' as const })),
    ...omitted.map(({ reason, ...interval }) => ({ ...interval, kind: reason })),
  ].sort((a, b) => a.from.localeCompare(b.from));
}

/** The span from its first to its last part, each as wide as it is long, at least one column. */
function bar(
  parts: readonly Part[],
  style: (name: 'green' | 'gray' | 'yellow', text: string) => string,
): string {
  const [start, end] = [Date.parse(parts[0]!.from), Date.parse(parts.at(-1)!.to)];
  const width = COLUMNS - 6;
  const column = (at: string) => Math.round(((Date.parse(at) - start) / Math.max(1, end - start)) * width);
  return parts
    .slice(0, width)
    .map(({ from, to, kind }) => {
      const { sign, style: name } = PARTS[kind];
      return style(name, sign.repeat(Math.max(0, column(to) - column(from))));
    })
    .join('');
}

/** A sentence in lines of at most 80 columns. */
function wrapped(sentence: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    if (line && indent + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = '';
    }
    line = line ? `${line} ${word}` : word;
  }
  return [...lines, line].map((text) => ' '.repeat(indent) + text);
}
