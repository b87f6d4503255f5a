import { milliseconds } from '../database';
import { dateAfter } from '../days';

/** What a report is asked for; dates are days in the timezone, both included. */
export interface ReportPeriod {
  readonly timezone: string;
  readonly startDate: string;
  readonly endDate: string;
  /** The period before it, of as many days. */
  readonly beforeStart: string;
  readonly beforeEnd: string;
  readonly targetSeconds: number;
  /** At most a week. */
  readonly isShort: boolean;
  /** What the bars of the days stand for. */
  readonly unit: 'day' | 'week' | 'month';
}

/** Days since 1970 of a date: databases write dates as text in many forms. */
const dayNumber = (date: string) => `CAST(CAST(${date} AS date) - DATE '1970-01-01' AS bigint)`;
const LOCAL_START = 'session_start_at AT TIME ZONE $timezone';
/** The first two conditions are for an index. */
const between = (
  start: '$startDate' | '$beforeStart',
) => `session_start_at >= CAST(${start} - 1 AS timestamp) AT TIME ZONE 'UTC'
    AND session_start_at < CAST($endDate + 2 AS timestamp) AT TIME ZONE 'UTC'
    AND CAST(${LOCAL_START} AS date) BETWEEN ${start} AND $endDate`;
/** Each session once: its rows differ in their tickets only. */
const sessionsFrom = (
  start: '$startDate' | '$beforeStart',
) => `SELECT DISTINCT conversation_id, session_index, session_start_at,
    CAST(${LOCAL_START} AS date) AS day, wait_time_seconds, wait_time_business_hours_seconds, resolution_yes_no
  FROM cxp.session WHERE session_index IS NOT NULL AND ${between(start)}`;
const SESSIONS = sessionsFrom('$startDate');

const shareMet = (wait: string) =>
  `CAST(count(*) FILTER (WHERE ${wait} <= $targetSeconds) AS float8) / nullif(count(${wait}), 0)`;

/** The upper ends of the bars of waits, in seconds; the target is one, too. */
export const waitBounds = (target: number) =>
  [...new Set([30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400, target])].sort((a, b) => a - b);

const bucket = (bounds: readonly number[]) =>
  `CASE ${bounds.map((bound, place) => `WHEN wait_time_seconds <= ${bound} THEN ${place}`).join(' ')} ELSE ${bounds.length} END`;

function daysOfPeriod(startDate: string, endDate: string): string[] {
  const days = [startDate];
  while (days.at(-1)! < endDate) days.push(dateAfter(days.at(-1)!, 1));
  return days;
}

const agentsOf = (day: string) =>
  `SELECT ${dayNumber(`DATE '${day}'`)} AS day, account_id, email, name, sessions, wait_time_business_hours_seconds_median,
      wait_time_seconds_median FROM cxp.agent_period($timezone, DATE '${day}', DATE '${day}')`;

/** Every figure of the report, from the views alone. */
export const conversationQueries = ({ targetSeconds, unit, isShort, startDate, endDate }: ReportPeriod) => ({
  tiles: `SELECT true AS is_now, figures.* FROM cxp.period($timezone, $startDate, $endDate) AS figures
    UNION ALL SELECT false, figures.* FROM cxp.period($timezone, $beforeStart, $beforeEnd) AS figures`,
  // Those of cxp.target_day, which reads every day.
  targets: `SELECT is_now, unit AS day, count(*) AS sessions, count(*) FILTER (WHERE wait_time_seconds <= $targetSeconds) AS met,
      count(*) FILTER (WHERE wait_time_seconds > $targetSeconds) AS missed, count(*) - count(wait_time_seconds) AS without_wait,
      ${shareMet('wait_time_seconds')} AS wait_share_met, ${shareMet('wait_time_business_hours_seconds')} AS business_share_met,
      count(*) FILTER (WHERE resolution_yes_no IN ('Yes', 'No')) AS resolutions
    FROM (SELECT started.*, day >= $startDate AS is_now, ${dayNumber(`date_trunc('${unit}', day)`)} AS unit
      FROM (${sessionsFrom('$beforeStart')}) AS started) AS counted
    GROUP BY GROUPING SETS ((is_now), (is_now, unit)) ORDER BY 1, 2`,
  hours: `SELECT CAST(extract(isodow FROM ${LOCAL_START}) AS integer) AS weekday,
      CAST(extract(hour FROM ${LOCAL_START}) AS integer) AS hour, count(*) AS sessions,
      count(*) FILTER (WHERE wait_time_seconds > $targetSeconds) AS late
    FROM (${SESSIONS}) AS started GROUP BY 1, 2 ORDER BY 1, 2`,
  waits: `SELECT ${bucket(waitBounds(targetSeconds))} AS bucket, count(*) AS sessions
    FROM (${SESSIONS}) AS started WHERE wait_time_seconds IS NOT NULL GROUP BY 1 ORDER BY 1`,
  agents: `SELECT * FROM cxp.agent_period($timezone, $startDate, $endDate)`,
  // Only a week or less has a column for each day; cxp.agent_day reads every day.
  ...(isShort && { agentDays: daysOfPeriod(startDate, endDate).map(agentsOf).join(' UNION ALL ') }),
  longest: `SELECT DISTINCT conversation_id, session_index, customer_name, customer_email, customer_phone,
      session_agent_name, session_agent_email, ${milliseconds('bot_handoff_at')} AS waits_from,
      ${milliseconds('first_agent_message_at')} AS answered_at, ${milliseconds('session_start_at')} AS started,
      wait_time_seconds, wait_time_business_hours_seconds, md5(conversation_id) AS tie
    FROM cxp.session WHERE session_index IS NOT NULL AND wait_time_seconds IS NOT NULL AND ${between('$startDate')}
    ORDER BY wait_time_seconds DESC, started, tie, session_index LIMIT 10`,
});

export const surveyQueries = () => ({
  campaigns: `SELECT CAST(campaign_id AS text) AS id, campaign.name, figures.*
    FROM cxp.campaign_period($timezone, $startDate, $endDate) AS figures
    LEFT JOIN cxp.campaign AS campaign ON campaign.id = figures.campaign_id ORDER BY answered DESC, 1`,
  scores: `SELECT CAST(given.campaign_id AS text) AS id, answer.metric, answer.score, count(*) AS answers
    FROM cxp.response AS given JOIN cxp.answer AS answer ON answer.response_id = given.response_id
    WHERE answer.score IS NOT NULL AND CAST(given.answered_timestamp AT TIME ZONE $timezone AS date) BETWEEN $startDate AND $endDate
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
});

/** A statement with its values: all but the name of the timezone are checked, and can be written into it. */
export function statementOf(sql: string, schema: string, period: ReportPeriod, timezone = '$1'): string {
  const written = (name: keyof ReportPeriod) => {
    const value = period[name];
    if (name === 'timezone') return timezone;
    return typeof value === 'number' ? String(value) : `DATE '${value}'`;
  };
  const whole = sql.replaceAll(/\$([a-z]\w+)/gi, (_, name: keyof ReportPeriod) => written(name));
  return whole.replaceAll(/\bcxp\./g, `"${schema}".`);
}

/** As a person can run it. */
export function printedStatement(name: string, sql: string, schema: string, period: ReportPeriod): string {
  const timezone = `'${period.timezone.replaceAll("'", "''")}'`;
  return `-- ${name}\n${statementOf(sql, schema, period, timezone).replaceAll(/\n\s+/g, '\n  ')};\n`;
}
