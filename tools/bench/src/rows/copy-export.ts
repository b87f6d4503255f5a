import { spawn } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { METADATA_FIELDS, QUESTIONS } from '../data/surveys';

/** What the export is measured against: `COPY (…) TO STDOUT | iconv -t UTF-16LE` for the same columns. */
export async function copyBaseline(databaseUrl: string, statement: string): Promise<Buffer> {
  const iconv = spawn('iconv', ['-f', 'UTF-8', '-t', 'UTF-16LE'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const copied = pipeline(client.query(copyTo(statement)), iconv.stdin);
  const [file] = await Promise.all([readAll(iconv.stdout), copied]);
  await client.end();
  return file;
}

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The statement that writes what the export writes of the same responses, its heading included. */
export function copyStatement(organizationId: string, campaignId: string, limit: number): string {
  const columns = [
    ...FIXED_COLUMNS,
    ...QUESTIONS.flatMap(questionColumns),
    ...METADATA_FIELDS.map(({ variable }): Column => [variable, `metadata ->> '${variable}'`]),
  ];
  const selection = columns.map(([name, sql]) => `${sql} AS "${name}"`).join(', ');
  return `COPY (
    WITH response AS MATERIALIZED (
      SELECT *, tags::jsonb AS tag_list, metadata_mappings::jsonb AS metadata, answers::jsonb AS answer
      FROM survey.response
      WHERE organization_id = '${organizationId}' AND campaign_id = '${campaignId}'
      ORDER BY earliest_at, identifier
      LIMIT ${limit}
    )
    SELECT ${selection}
    FROM response JOIN survey.campaign
      ON campaign.organization_id = response.organization_id AND campaign.id = response.campaign_id
    ORDER BY response.earliest_at, response.identifier
  ) TO STDOUT WITH (FORMAT csv, DELIMITER E'\\t', HEADER)`;
}

type Column = readonly [name: string, sql: string];

const time = (column: string) => `to_char(${column} AT TIME ZONE 'Asia/Bangkok', 'YYYY-MM-DD HH24:MI:SS')`;
const joined = (array: string) =>
  `(SELECT string_agg(item, '|') FROM jsonb_array_elements_text(${array}) AS item)`;

const FIXED_COLUMNS: readonly Column[] = [
  ['Response ID', 'response.identifier'],
  ['Timestamp sent', time('sent_at')],
  ['Timestamp sending failed', time('sending_failed_at')],
  ['Timestamp opened', time('opened_at')],
  ['Timestamp answered', time('answered_at')],
  ['Customer name', 'user_name'],
  ['Customer phone', 'user_phone'],
  ['Customer email', 'user_email'],
  ['Distribution channel', 'source'],
  ['Transaction ID', 'transaction_id'],
  ['Campaign ID', 'campaign.id'],
  ['Campaign Name', 'campaign.name'],
  ['Touchpoints', joined('touchpoints::jsonb')],
  ['Tags', joined('tag_list')],
];

function questionColumns(question: (typeof QUESTIONS)[number]): Column[] {
  const { id, type, title, option_titles_by_id: options, row_titles_by_id: rows } = question;
  const titles = `'${JSON.stringify(options ?? {})}'::jsonb`;
  const heading = `Question ${id}: ${title}`;
  switch (type) {
    case 'text':
      return [[heading, `answer ->> '${id}'`]];
    case 'multiple_choice':
      return [[heading, `${titles} ->> (answer ->> '${id}')`]];
    case 'checkbox':
      return [
        [
          heading,
          `(SELECT string_agg(coalesce(${titles} ->> choice, choice), '|')
            FROM jsonb_array_elements_text(answer -> '${id}') AS choice)`,
        ],
      ];
    default:
      return Object.entries(rows ?? options ?? {}).map(([key, name]): Column => [
        `Question ${id} - ${key}: ${title} - ${name}`,
        `answer -> '${id}' ->> '${key}'`,
      ]);
  }
}
