import { comment } from './copied-tables';
import { CommandError, type CopyDatabase, type JsonSql, type Run, type SqlColumn } from './database';
import { EXPORT_COLUMNS, followedFeeds } from './followed-feed';
import { LOG, PAST } from './history';

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
  /** `cxp.` becomes the schema of the copy, in sentences, too. */
  readonly sql: string | ((json: JsonSql) => string);
}

export const column = (name: string, type: string, sentence: string): ViewColumn => ({
  name,
  type,
  sentence,
});
const KEY = ['conversation_id', 'session_index', 'ticket_id'];

/** The columns of a row of the export, with their SQL. */
const SESSION_COLUMNS = [
  ...EXPORT_COLUMNS.map((each) =>
    KEY.includes(each.name) ? { ...each, sql: `CAST(${each.name} AS ${each.type})` } : each,
  ),
  {
    ...column('conversation_updated_at', 'timestamptz', 'The time by which windows of the export choose.'),
    sql: 'conversation_updated_at',
  },
];
const SESSION_NAMES = SESSION_COLUMNS.map(({ name }) => name).join(', ');
const PAST_SQL = SESSION_COLUMNS.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');
const HELD = new Set(followedFeeds[0]!.fieldColumns.map(({ name }) => name));
const SESSION_SQL = SESSION_COLUMNS.map(({ name, sql }) =>
  HELD.has(name) ? name : `${sql} AS ${name}`,
).join(', ');

const METRICS = [
  'wait_time_seconds',
  'first_response_time_seconds',
  'resolution_time_seconds',
  'wait_time_business_hours_seconds',
  'first_response_time_business_hours_seconds',
  'resolution_time_business_hours_seconds',
];

/** What views need of a session. */
const OF_SESSION = ['conversation_id', 'session_index', ...HELD];
/**
 * One row per session with its day: rows of a session differ in their tickets only. Grouped by all columns, so that databases choose days
 * before they group.
 */
const sessionsOf = (
  columns = OF_SESSION,
  where = 'true',
) => `SELECT ${columns.join(', ')}, local_day, count(ticket_id) AS ticket_count
  FROM (SELECT *, CAST(session_start_at AT TIME ZONE timezone AS date) AS local_day FROM cxp.session
    WHERE session_index IS NOT NULL AND ${where}) AS dated GROUP BY ${columns.join(', ')}, local_day`;

/** A percentile of integers is rounded to one digit, so that both databases compute the same. */
const percentile = (share: number, metric: string) =>
  `CAST(round(CAST(percentile_cont(${share}) WITHIN GROUP (ORDER BY ${metric}) AS numeric(18, 3)), 1) AS float8)`;
export const ratio = (part: string, whole: string) => `CAST(${part} AS float8) / nullif(${whole}, 0)`;

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

/** As in the export: an agent without an account is told by email, without case. */
const AGENT_WITHOUT_ACCOUNT =
  'CASE WHEN session_agent_account_id IS NULL THEN lower(session_agent_email) END';
const AGENTS_TOLD =
  'Agents are told apart by account, or, without one, by email without case: an agent who has an account in one session and only an email in another is two.';
const latest = (value: string) =>
  `(array_agg(${value} ORDER BY session_start_at DESC, md5(conversation_id), session_index DESC))[1]`;

export const TIMEZONE = { name: 'timezone', type: 'text' };
/** Both days are included. */
export const PERIOD = [
  { name: 'start_date', type: 'date' },
  { name: 'end_date', type: 'date' },
];
/** For an index: no local day begins or ends further from its day of UTC. */
const NEAR_PERIOD = `session_start_at >= CAST(CAST(start_date AS date) - 1 AS timestamp) AT TIME ZONE 'UTC'
    AND session_start_at < CAST(CAST(end_date AS date) + 2 AS timestamp) AT TIME ZONE 'UTC'`;
export const inPeriod = (day: string) => `${day} BETWEEN CAST(start_date AS date) AND CAST(end_date AS date)`;
const ONCE = 'Sessions; one with several tickets counts once.';

const AGENT_COLUMNS = (when: string) => [
  column('account_id', 'bigint', 'Account of the agent; null if the activities name none.'),
  column('email', 'text', `Email of the agent in the last session of the ${when}.`),
  column('name', 'text', `Name of the agent in the last session of the ${when}.`),
];
const AGENT_SQL = `session_agent_account_id AS account_id, ${latest('session_agent_email')} AS email, ${latest('session_agent_name')} AS name`;
const BY_AGENT = `session_agent_account_id, ${AGENT_WITHOUT_ACCOUNT}`;

/** Of sessions. */
const FIGURES = [
  { ...column('sessions', 'bigint', ONCE), sql: 'count(*)' },
  {
    ...column('tickets', 'bigint', 'Tickets of these sessions.'),
    sql: 'CAST(coalesce(sum(ticket_count), 0) AS bigint)',
  },
  {
    ...column('answered_sessions', 'bigint', 'Sessions with a first_agent_message_at.'),
    sql: 'count(first_agent_message_at)',
  },
  ...METRICS.flatMap((name) => [
    {
      ...column(`${name}_median`, 'float8', `Median of ${name}; sessions without the figure are left out.`),
      sql: percentile(0.5, name),
    },
    {
      ...column(
        `${name}_p90`,
        'float8',
        `90th percentile of ${name}, between the two values around it; sessions without the figure are left out.`,
      ),
      sql: percentile(0.9, name),
    },
    {
      ...column(`${name}_mean`, 'float8', `Mean of ${name}; sessions without the figure are left out.`),
      sql: ratio(`sum(${name})`, `count(${name})`),
    },
    {
      ...column(`${name}_missing`, 'bigint', `Sessions without the figure ${name}.`),
      sql: `count(*) - count(${name})`,
    },
  ]),
  { ...column('ratings', 'bigint', 'Sessions with a rating.'), sql: 'count(rating)' },
  { ...column('rating_mean', 'float8', 'Mean of the ratings.'), sql: ratio('sum(rating)', 'count(rating)') },
  {
    ...column('resolved_share', 'float8', 'Share of Yes in Yes and No of resolution_yes_no.'),
    sql: ratio(
      `count(*) FILTER (WHERE resolution_yes_no = 'Yes')`,
      `count(*) FILTER (WHERE resolution_yes_no IN ('Yes', 'No'))`,
    ),
  },
];
const FIGURES_SQL = FIGURES.map(({ name, sql }) => `${sql} AS ${name}`).join(', ');
const HOURS_OF_COPY = 'Business hours are those of the timezone of the copy.';

/** The times that have a target, in seconds. */
const TARGETS = ['wait', 'first_response'];

const OF_TARGETS = [
  ...['conversation_id', 'session_index', 'session_start_at', 'first_agent_message_at'],
  ...METRICS.filter((name) => TARGETS.some((target) => name.startsWith(target))),
];

/** In the order of creation. */
export const VIEWS: readonly View[] = [
  {
    name: 'cxp.session',
    sentence:
      'The rows of the export, typed: one for each session with one of its tickets, or for either alone. Count sessions by conversation_id and session_index.',
    columns: SESSION_COLUMNS,
    sql: `SELECT ${SESSION_SQL} FROM cxp.conversation_session`,
  },
  {
    name: 'cxp.conversation',
    sentence: 'One row for each conversation that has rows.',
    columns: [
      column('conversation_id', 'text', 'Conversation identifier.'),
      ...TIMES.map((name) => column(name, 'timestamptz', `${name} of cxp.session.`)),
      column('sessions', 'bigint', 'Its sessions; one with several tickets counts once.'),
      column('tickets', 'bigint', 'Its tickets, also those without a session.'),
      column('agents', 'bigint', `Different agents of its sessions. ${AGENTS_TOLD}`),
      ...METRICS.map((name) =>
        column(name, 'bigint', `${name} of its first session; null if that has no such figure.`),
      ),
      column('rating', 'bigint', 'The rating that was submitted last.'),
    ],
    sql: `SELECT conversation_id, ${TIMES.map((name) => `max(${name}) AS ${name}`).join(', ')},
        count(DISTINCT session_index) AS sessions, count(DISTINCT ticket_id) AS tickets,
        count(DISTINCT coalesce(CAST(session_agent_account_id AS text), nullif(lower(session_agent_email), ''))) AS agents,
        ${METRICS.map((name) => `max(${name}) FILTER (WHERE session_index = 0) AS ${name}`).join(', ')},
        (array_agg(rating ORDER BY submitted_at DESC NULLS LAST, session_index DESC NULLS LAST, rating)
          FILTER (WHERE rating IS NOT NULL))[1] AS rating
      FROM cxp.session GROUP BY conversation_id`,
  },
  {
    name: 'cxp.agent_day',
    parameters: [TIMEZONE],
    sentence: `Figures of each agent and day: the sessions that started on that day in the timezone, each once. ${AGENTS_TOLD} ${HOURS_OF_COPY}`,
    columns: [
      column('day', 'date', 'The day of session_start_at in the timezone.'),
      ...AGENT_COLUMNS('day'),
      ...FIGURES,
    ],
    sql: `SELECT local_day AS day, ${AGENT_SQL}, ${FIGURES_SQL} FROM (${sessionsOf()}) AS counted GROUP BY local_day, ${BY_AGENT}`,
  },
  {
    name: 'cxp.agent_period',
    parameters: [TIMEZONE, ...PERIOD],
    sentence: `Figures of each agent over the sessions that started from start_date to end_date in the timezone: medians of days can't be added. ${AGENTS_TOLD} ${HOURS_OF_COPY}`,
    columns: [...AGENT_COLUMNS('period'), ...FIGURES],
    sql: `SELECT ${AGENT_SQL}, ${FIGURES_SQL} FROM (${sessionsOf(OF_SESSION, NEAR_PERIOD)}) AS counted WHERE ${inPeriod('local_day')} GROUP BY ${BY_AGENT}`,
  },
  {
    name: 'cxp.period',
    parameters: [TIMEZONE, ...PERIOD],
    sentence: `One row of figures over all agents: the sessions that started from start_date to end_date in the timezone. ${HOURS_OF_COPY}`,
    columns: [column('conversations', 'bigint', 'Conversations of these sessions.'), ...FIGURES],
    sql: `SELECT count(DISTINCT conversation_id) AS conversations, ${FIGURES_SQL} FROM (${sessionsOf(OF_SESSION, NEAR_PERIOD)}) AS counted WHERE ${inPeriod('local_day')}`,
  },
  {
    name: 'cxp.target_day',
    parameters: [
      TIMEZONE,
      ...TARGETS.map((name) => ({ name: `${name}_seconds`, type: 'integer' })),
      { name: 'business', type: 'boolean' },
    ],
    sentence:
      'Targets met and missed by the sessions that started on each day in the timezone; business: in business hours. Customers whom no agent has taken have no session: they are in no row.',
    columns: [
      column('day', 'date', 'The day of session_start_at in the timezone.'),
      column('sessions', 'bigint', ONCE),
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
      ).join(', ')} FROM (${sessionsOf(OF_TARGETS)}) AS counted) AS measured
      GROUP BY local_day`,
  },
];

/** Views over the copy and its history. */
export const HISTORY_VIEWS: readonly View[] = [
  {
    name: 'cxp.session_history',
    sentence:
      'Each state of a row that was read, from its change to the one that replaced it. Of erased and expired rows only the key and numbers are left, also of conversations without rows 90 days after their removal, and at once when the copy could not go on at its cursor (a restored backup, a failover, a long absence).',
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
    sql: `SELECT ${SESSION_SQL}, since AS change, CAST(NULL AS bigint) AS replaced_by, CAST(NULL AS text) AS end_reason
      FROM cxp.conversation_session
      UNION ALL SELECT ${PAST_SQL}, change, replaced_by, end_reason FROM cxp.${PAST}`,
  },
  {
    name: 'cxp.as_of',
    parameters: [{ name: 'at_change', type: 'bigint' }],
    sentence:
      'The rows of cxp.session as they were at a change at which the copy was up to date, from history_from of cxp.follow_state on. The feed is compacted: states between two reads are not in it.',
    columns: SESSION_COLUMNS,
    sql: `SELECT ${SESSION_NAMES} FROM cxp.session_history
      WHERE change <= at_change AND (replaced_by IS NULL OR replaced_by > at_change)`,
  },
  {
    name: 'cxp.as_of_time',
    parameters: [{ name: 'at_time', type: 'timestamptz' }],
    sentence:
      'The rows of cxp.session as the copy had them when it was last up to date before a time (cxp.follow_log); none before the first such time. States between two reads are not in it.',
    columns: SESSION_COLUMNS,
    sql: `SELECT ${SESSION_NAMES} FROM cxp.session_history JOIN (SELECT change AS read_change FROM cxp.${LOG}
        WHERE up_to_date_at <= CAST(at_time AS timestamptz) ORDER BY up_to_date_at DESC LIMIT 1) AS logged
      ON change <= read_change AND (replaced_by IS NULL OR replaced_by > read_change)`,
  },
];

/** SQLSTATE of PostgreSQL: another view or function of the name has other columns. */
const OTHER_COLUMNS = ['42P16', '42P13'];

/**
 * Creates or replaces views.
 * @throws CommandError if those of another release can't be replaced
 */
export async function createViews(run: Run, database: CopyDatabase, views: readonly View[]): Promise<void> {
  const { schema, functionKind, createFunction, jsonSql } = database;
  const inSchema = (text: string, quote = '"') => text.replaceAll(/\bcxp\./g, `${quote}${schema}${quote}.`);
  const shown = (text: string) => inSchema(text, '');
  for (const view of views) {
    const { sql, sentence, columns, parameters } = view;
    const name = inSchema(view.name);
    const body = inSchema(typeof sql === 'string' ? sql : sql(jsonSql));
    const kind = parameters ? functionKind : 'VIEW';
    const statement = parameters
      ? createFunction(name, parameters, columns, body)
      : `CREATE OR REPLACE VIEW ${name} AS ${body}`;
    await run(statement).catch((error: Error & { code?: string }) => {
      if (!OTHER_COLUMNS.includes(error.code ?? '')) throw error;
      const dropped = `DROP ${kind} ${shown(view.name)} CASCADE`;
      throw new CommandError(
        `${shown(view.name)} is of another release, or not the copy's. If it is the copy's: ${dropped}, and start again; else choose another --schema`,
      );
    });
    const listed = columns.map((each) => `\n${each.name}: ${each.sentence}`).join('');
    await comment(run, `${kind} ${name}`, shown(parameters ? sentence + listed : sentence));
    if (parameters) continue;
    for (const each of columns) await comment(run, `COLUMN ${name}.${each.name}`, shown(each.sentence));
  }
}
