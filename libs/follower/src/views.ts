import { ROW_FIELDS } from '@cxp/contact-center-export/derivation/conversation-session-row';
import { CommandError, type CopyDatabase, type Run, type SqlColumn } from './database';
import { PAST } from './copied-tables';

export interface ViewColumn extends SqlColumn {
  readonly sentence: string;
}

/** With parameters it is a function that returns a table. */
export interface View {
  readonly name: string;
  readonly parameters?: readonly SqlColumn[];
  readonly columns: readonly ViewColumn[];
  /** The comment in the database, and the row of the guide. */
  readonly sentence: string;
  readonly sql: string;
}

const column = (name: string, type: string, sentence: string): ViewColumn => ({ name, type, sentence });
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const KEY = ['conversation_id', 'session_index', 'ticket_id'];
const JSON_TYPE = 'json';

interface FieldSchema {
  readonly type: string;
  readonly format?: string;
  readonly description: string;
}

function typeOf({ type, format }: FieldSchema): string {
  if (format === 'date-time') return 'timestamptz';
  return { integer: 'bigint', object: JSON_TYPE }[type] ?? 'text';
}

/** The columns of a row of the export, with their SQL. */
const SESSION_COLUMNS = [
  ...Object.entries(ROW_FIELDS).map(([field, { schema }]) => {
    const fieldSchema = schema as unknown as FieldSchema;
    const [name, type] = [snakeCase(field), typeOf(fieldSchema)];
    const value = type === JSON_TYPE ? `"row"->'${field}'` : `CAST("row"->>'${field}' AS ${type})`;
    const sql = KEY.includes(name) ? `CAST(${name} AS ${type})` : value;
    return { ...column(name, type, fieldSchema.description), sql };
  }),
  {
    ...column('conversation_updated_at', 'timestamptz', 'The time by which windows of the export choose.'),
    sql: 'conversation_updated_at',
  },
];
const SESSION_NAMES = SESSION_COLUMNS.map(({ name }) => name).join(', ');
const SESSION_SQL = SESSION_COLUMNS.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');

const METRICS = [
  'wait_time_seconds',
  'first_response_time_seconds',
  'resolution_time_seconds',
  'wait_time_business_hours_seconds',
  'first_response_time_business_hours_seconds',
  'resolution_time_business_hours_seconds',
];

/** One row per session with its day: rows of a session differ in their tickets only. */
const SESSIONS_OF_DAYS = `SELECT DISTINCT ON (conversation_id, session_index) *,
    CAST(session_start_at AT TIME ZONE timezone AS date) AS local_day,
    count(ticket_id) OVER (PARTITION BY conversation_id, session_index) AS ticket_count
  FROM cxp.session WHERE session_index IS NOT NULL ORDER BY conversation_id, session_index, ticket_id`;

/** A percentile of integers is rounded to one digit, so that both databases compute the same. */
const percentile = (share: number, metric: string) =>
  `CAST(round(CAST(percentile_cont(${share}) WITHIN GROUP (ORDER BY ${metric}) AS numeric(18, 3)), 1) AS float8)`;
const ratio = (part: string, whole: string) => `CAST(${part} AS float8) / nullif(${whole}, 0)`;

const TIMES = [
  'created',
  'updated',
  'routed_to_ai',
  'routed_to_agent',
  'assigned',
  'agent_took_over',
  'closed',
  'resolved',
].map((name) => `conversation_${name}_at`);

/** An agent without an account is identified by email. */
const AGENT_WITHOUT_ACCOUNT = 'CASE WHEN session_agent_account_id IS NULL THEN session_agent_email END';
const latest = (value: string) =>
  `(array_agg(${value} ORDER BY session_start_at DESC, md5(conversation_id), session_index))[1]`;

const TIMEZONE = { name: 'timezone', type: 'text' };

/** The times that have a target, in seconds. */
const TARGETS = ['wait', 'first_response'];

/** In the order of creation. */
export const VIEWS: readonly View[] = [
  {
    name: 'cxp.session',
    sentence:
      'The rows of the export, typed: one for each session with one of its tickets, or for either alone. Count sessions by conversation_id and session_index.',
    columns: SESSION_COLUMNS,
    sql: `SELECT ${SESSION_SQL} FROM conversation_session`,
  },
  {
    name: 'cxp.conversation',
    sentence: 'One row for each conversation that has rows.',
    columns: [
      column('conversation_id', 'text', 'Conversation identifier.'),
      ...TIMES.map((name) => column(name, 'timestamptz', `${name} of cxp.session.`)),
      column('sessions', 'bigint', 'Its sessions; one with several tickets counts once.'),
      column('tickets', 'bigint', 'Its tickets, also those without a session.'),
      column('agents', 'bigint', 'Different agents of its sessions.'),
      ...METRICS.map((name) =>
        column(name, 'bigint', `${name} of its first session; null if that has no such figure.`),
      ),
      column('rating', 'bigint', 'The rating that was submitted last.'),
    ],
    sql: `SELECT conversation_id, ${TIMES.map((name) => `max(${name}) AS ${name}`).join(', ')},
        count(DISTINCT session_index) AS sessions, count(DISTINCT ticket_id) AS tickets,
        count(DISTINCT coalesce(CAST(session_agent_account_id AS text), nullif(session_agent_email, ''))) AS agents,
        ${METRICS.map((name) => `max(${name}) FILTER (WHERE session_index = 0) AS ${name}`).join(', ')},
        (array_agg(rating ORDER BY submitted_at DESC NULLS LAST, session_index DESC NULLS LAST, rating)
          FILTER (WHERE rating IS NOT NULL))[1] AS rating
      FROM cxp.session GROUP BY conversation_id`,
  },
  {
    name: 'cxp.agent_day',
    parameters: [TIMEZONE],
    sentence:
      'Figures of each agent and day: the sessions that started on that day in the timezone, each once. Business hours are those of the timezone of the copy.',
    columns: [
      column('day', 'date', 'The day of session_start_at in the timezone.'),
      column('account_id', 'bigint', 'Account of the agent; null if the activities name none.'),
      column('email', 'text', 'Email of the agent in the last session of the day.'),
      column('name', 'text', 'Name of the agent in the last session of the day.'),
      column('sessions', 'bigint', 'Sessions; one with several tickets counts once.'),
      column('tickets', 'bigint', 'Tickets of these sessions.'),
      column('answered_sessions', 'bigint', 'Sessions with a first_agent_message_at.'),
      ...METRICS.flatMap((name) => [
        column(`${name}_median`, 'float8', `Median of ${name}; sessions without the figure are left out.`),
        column(`${name}_p90`, 'float8', `90th percentile of ${name}; sessions without it are left out.`),
        column(`${name}_mean`, 'float8', `Mean of ${name}; sessions without the figure are left out.`),
        column(`${name}_missing`, 'bigint', `Sessions without the figure ${name}.`),
      ]),
      column('ratings', 'bigint', 'Sessions with a rating.'),
      column('rating_mean', 'float8', 'Mean of the ratings.'),
      column('resolved_share', 'float8', 'Share of Yes in Yes and No of resolution_yes_no.'),
    ],
    sql: `SELECT local_day AS day, session_agent_account_id AS account_id, ${latest('session_agent_email')} AS email,
        ${latest('session_agent_name')} AS name, count(*) AS sessions, CAST(sum(ticket_count) AS bigint) AS tickets,
        count(first_agent_message_at) AS answered_sessions,
        ${METRICS.map(
          (name) => `${percentile(0.5, name)} AS ${name}_median, ${percentile(0.9, name)} AS ${name}_p90,
          ${ratio(`sum(${name})`, `count(${name})`)} AS ${name}_mean, count(*) - count(${name}) AS ${name}_missing`,
        ).join(', ')},
        count(rating) AS ratings, ${ratio('sum(rating)', 'count(rating)')} AS rating_mean,
        ${ratio(
          `count(*) FILTER (WHERE resolution_yes_no = 'Yes')`,
          `count(*) FILTER (WHERE resolution_yes_no IN ('Yes', 'No'))`,
        )} AS resolved_share
      FROM (${SESSIONS_OF_DAYS}) AS counted
      GROUP BY local_day, session_agent_account_id, ${AGENT_WITHOUT_ACCOUNT}`,
  },
  {
    name: 'cxp.target_day',
    parameters: [
      TIMEZONE,
      ...TARGETS.map((name) => ({ name: `${name}_seconds`, type: 'integer' })),
      { name: 'business', type: 'boolean' },
    ],
    sentence:
      'Targets met and missed by the sessions that started on each day in the timezone; business: in business hours.',
    columns: [
      column('day', 'date', 'The day of session_start_at in the timezone.'),
      column('sessions', 'bigint', 'Sessions; one with several tickets counts once.'),
      ...TARGETS.flatMap((name) => [
        column(`${name}_met`, 'bigint', `Sessions whose ${name}_time is at most ${name}_seconds.`),
        column(`${name}_missed`, 'bigint', `Sessions whose ${name}_time is more.`),
        column(`${name}_not_answered`, 'bigint', 'Sessions without a first_agent_message_at.'),
        column(`${name}_share_met`, 'float8', 'Share of the met ones in those met and missed.'),
      ]),
    ],
    sql: `SELECT local_day AS day, count(*) AS sessions,
        ${TARGETS.map((name) => {
          const met = `count(*) FILTER (WHERE ${name}_figure <= ${name}_seconds)`;
          return `${met} AS ${name}_met, count(*) FILTER (WHERE ${name}_figure > ${name}_seconds) AS ${name}_missed,
          count(*) - count(first_agent_message_at) AS ${name}_not_answered,
          ${ratio(met, `count(${name}_figure)`)} AS ${name}_share_met`;
        }).join(', ')}
      FROM (SELECT *, ${TARGETS.map(
        (name) =>
          `CASE WHEN business THEN ${name}_time_business_hours_seconds ELSE ${name}_time_seconds END AS ${name}_figure`,
      ).join(', ')} FROM (${SESSIONS_OF_DAYS}) AS counted) AS measured
      GROUP BY local_day`,
  },
];

/** Views over the copy and its history. */
export const HISTORY_VIEWS: readonly View[] = [
  {
    name: 'cxp.session_history',
    sentence:
      'Each state of a row that was read, from its change to the one that replaced it. Of erased and expired rows only the key and numbers are left, also of rows that were gone after a restored backup or a failover, and 90 days after all rows of their conversation were removed.',
    columns: [
      ...SESSION_COLUMNS,
      column('change', 'bigint', 'The change that it came with.'),
      column('replaced_by', 'bigint', 'The change that ended it; null: it is the present state.'),
      column(
        'end_reason',
        'text',
        'Why it ended: changed, removed, erased, expired, or resync (read again from the beginning, for instance by another schedule).',
      ),
    ],
    sql: `SELECT ${SESSION_SQL}, coalesce(since, change) AS change, CAST(NULL AS bigint) AS replaced_by, CAST(NULL AS text) AS end_reason
      FROM conversation_session
      UNION ALL SELECT ${SESSION_SQL}, change, replaced_by, end_reason FROM ${PAST}`,
  },
  {
    name: 'cxp.as_of',
    parameters: [{ name: 'at_change', type: 'bigint' }],
    sentence:
      'The rows of cxp.session as they were at a change at which the copy was up to date, from history_from of cxp_follow_state on. The feed is compacted: states between two reads are not in it.',
    columns: SESSION_COLUMNS,
    sql: `SELECT ${SESSION_NAMES} FROM cxp.session_history
      WHERE change <= at_change AND (replaced_by IS NULL OR replaced_by > at_change)`,
  },
];

/**
 * Creates or replaces views.
 * @throws CommandError if those of another release can't be replaced
 */
export async function createViews(run: Run, database: CopyDatabase, views: readonly View[]): Promise<void> {
  await run('CREATE SCHEMA IF NOT EXISTS cxp');
  const comment = (what: string, text: string) =>
    run(`COMMENT ON ${what} IS '${text.replaceAll("'", "''")}'`);
  for (const { name, sql, sentence, columns, parameters } of views) {
    const kind = parameters ? database.functionKind : 'VIEW';
    const statement = parameters
      ? database.createFunction(name, parameters, columns, sql)
      : `CREATE OR REPLACE VIEW ${name} AS ${sql}`;
    await run(statement).catch((error: Error) => {
      if (!/cannot (drop|change)/.test(error.message)) throw error;
      throw new CommandError(
        `${name} is that of another release: DROP ${kind} ${name} CASCADE, and start again`,
      );
    });
    const listed = columns.map((each) => `\n${each.name}: ${each.sentence}`).join('');
    await comment(`${kind} ${name}`, parameters ? sentence + listed : sentence);
    if (parameters) continue;
    for (const each of columns) await comment(`COLUMN ${name}.${each.name}`, each.sentence);
  }
}
