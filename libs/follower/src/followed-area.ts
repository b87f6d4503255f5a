import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import {
  type ChangeBatch,
  type ChangeLine,
  type CxpClient,
  type FollowOptions,
  InvalidRequestError,
} from '@cxp/client';

/** An item of either feed. */
export interface FollowedChange {
  readonly op: 'upsert' | 'delete';
  readonly change: number;
  readonly key: Readonly<Record<string, string | number | null>>;
  readonly digest?: string;
  readonly row?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

/** A column of the copy. */
export interface CopyColumn {
  readonly name: string;
  readonly type: string;
  readonly valueOf: (change: FollowedChange) => string | number | null;
}

/** A column that holds one member of the key. */
export interface KeyColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'bigint' | 'uuid';
  readonly member: string;
}

/** What the service says about the rows of one group: a day, or a campaign and a day. */
export interface GroupDigest {
  readonly group: string;
  readonly digest: string;
}

/** What the service says of one snapshot. */
export interface ServedDigests {
  readonly change: number;
  /** Where a copy that equals the digests goes on. */
  readonly cursor: string;
  readonly schedule: string | null;
  readonly groups: readonly GroupDigest[];
}

/** What differs between the two areas that can be followed. */
export interface FollowedArea {
  readonly name: 'contact-center' | 'survey';
  /** Its key in the `urls` of the client and of `demo.json`. */
  readonly urlKey: 'contactCenter' | 'survey';
  readonly table: string;
  readonly keyColumns: readonly KeyColumn[];
  /** The one column beside the key that the digest covers. */
  readonly extraColumn: CopyColumn & { readonly member: string };
  readonly follow: (client: CxpClient, options: FollowOptions) => AsyncGenerator<ChangeBatch<FollowedChange>>;
  readonly lines: (
    client: CxpClient,
    options: { cursor?: string; once?: boolean; signal?: AbortSignal },
  ) => AsyncGenerator<ChangeLine<FollowedChange>>;
  readonly digests: (client: CxpClient) => Promise<ServedDigests>;
  /**
   * Asked when a reading begins: the last number by then, and a name for what figures depend on that digests do not cover, which is another
   * text after each change of it.
   */
  readonly begin: (
    client: CxpClient,
  ) => Promise<{ readonly began: number; readonly schedule: string | null }>;
  /** The rows of a group as they are now. */
  readonly rowsOf: (client: CxpClient, group: string) => AsyncGenerator<CopiedRow>;
  /** The digest of a group as it is now, if its rows are read by pages: a row can slip from one to another when others are removed meanwhile. */
  readonly digestOfGroup?: (client: CxpClient, group: string) => Promise<string>;
  /** The group of a row, and its digest, from what the copy holds. */
  readonly groupOf: (copied: CopiedRow) => string;
  readonly digestOf: (copied: CopiedRow) => bigint;
  /** SQL: the same group, and its day. */
  readonly groupSql: string;
  readonly daySql: string;
  /** Whose business hours the rows have, and whose days the groups are. */
  readonly timezone: string;
  /** The same with business hours of another timezone. */
  readonly inTimezone: (timezone: string) => FollowedArea;
}

/** A row of the copy, as JSON. */
export interface CopiedRow {
  readonly key: Readonly<Record<string, string | number | null>>;
  /** The value of `extraColumn`; times as ISO 8601 in UTC with milliseconds. */
  readonly extra: string;
  readonly row: Readonly<Record<string, string | null>>;
}

const contactCenter = (timezone: string): FollowedArea => ({
  name: 'contact-center',
  urlKey: 'contactCenter',
  table: 'conversation_session',
  keyColumns: [
    { name: 'conversation_id', type: 'text', member: 'conversationId' },
    { name: 'session_index', type: 'integer', member: 'sessionIndex' },
    { name: 'ticket_id', type: 'bigint', member: 'ticketId' },
  ],
  extraColumn: {
    name: 'conversation_updated_at',
    type: 'timestamptz',
    member: 'conversationUpdatedAt',
    valueOf: (change) => (change as { conversationUpdatedAt?: string }).conversationUpdatedAt ?? null,
  },
  follow: (client, options) => client.conversationSessions.changes({ ...options, timezone }),
  lines: (client, options) => client.conversationSessions.changeLines({ ...options, timezone }),
  digests: async (client) => {
    const { change, cursor, schedule, items } = await allDigests((startDate, endDate) =>
      client.conversationSessions.digests({ startDate, endDate, timezone }),
    );
    const groups = items.map(({ date, digest }) => ({ group: date, digest }));
    return { change, cursor, schedule: schedule ?? null, groups };
  },
  begin: async (client) => {
    const day = { startDate: '2026-01-01', endDate: '2026-01-01' };
    const { change, schedule } = await client.conversationSessions.digests(day);
    return { began: change, schedule: schedule ?? null };
  },
  rowsOf: async function* (client, date) {
    const window = { startDate: date, endDate: date, timezone };
    for await (const line of client.conversationSessions.stream(window, { forCopy: true })) {
      const { cursor: _, conversationUpdatedAt, ...row } = line;
      const { conversationId, sessionIndex, ticketId } = row;
      const key = { conversationId, sessionIndex, ticketId };
      yield { key, extra: conversationUpdatedAt!, row: row as unknown as CopiedRow['row'] };
    }
  },
  groupOf: ({ extra }) => localDate(Date.parse(extra), timezone),
  digestOf: ({ key, extra, row }) => {
    const {
      waitTimeBusinessHoursSeconds: _wait,
      firstResponseTimeBusinessHoursSeconds: _firstResponse,
      resolutionTimeBusinessHoursSeconds: _resolution,
      ...covered
    } = row;
    return rowDigest({ key, conversationUpdatedAt: extra, row: covered });
  },
  ...contactCenterDay(timezone),
  timezone,
  inTimezone: contactCenter,
});

function contactCenterDay(timezone: string) {
  const daySql = `CAST(CAST(conversation_updated_at AT TIME ZONE '${timezone}' AS date) AS text)`;
  return { daySql, groupSql: daySql };
}

/** Days of area C are read in UTC+7. */
const SURVEY_OFFSET_MS = 7 * 3_600_000;

const SURVEY_TIMES = ['sent', 'sending_failed', 'opened', 'answered'].map((name) => `${name}_timestamp`);
const SURVEY_TIMES_SQL = SURVEY_TIMES.map((name) => `CAST("row"->>'${name}' AS timestamptz)`).join(', ');
const SURVEY_DAY_SQL = `CAST(CAST(least(${SURVEY_TIMES_SQL}) AT TIME ZONE 'Asia/Bangkok' AS date) AS text)`;

const survey: FollowedArea = {
  name: 'survey',
  urlKey: 'survey',
  table: 'survey_response',
  keyColumns: [{ name: 'identifier', type: 'uuid', member: 'identifier' }],
  extraColumn: {
    name: 'survey_campaign_id',
    type: 'uuid',
    member: 'survey_campaign_id',
    valueOf: (change) => (change as { survey_campaign_id?: string }).survey_campaign_id ?? null,
  },
  follow: (client, options) => client.surveyResponses.changes(options),
  lines: (client, options) => client.surveyResponses.changeLines(options),
  digests: async (client) => {
    const { change, cursor, items } = await allDigests((start_date, end_date) =>
      client.surveyResponses.digests({ start_date, end_date }),
    );
    const groups = items.map(({ survey_campaign_id: campaign, date, digest }) => ({
      group: `${campaign} ${date}`,
      digest,
    }));
    return { change, cursor, schedule: null, groups };
  },
  begin: async (client) => {
    const day = { start_date: '2026-01-01', end_date: '2026-01-01' };
    return { began: (await client.surveyResponses.digests(day)).change, schedule: null };
  },
  rowsOf: async function* (client, group) {
    const window = windowOf(group);
    for await (const row of client.surveyResponses.list(window)) {
      const key = { identifier: row.identifier };
      yield { key, extra: window.survey_campaign_id, row: row as unknown as CopiedRow['row'] };
    }
  },
  digestOfGroup: async (client, group) => {
    const { items } = await client.surveyResponses.digests(windowOf(group));
    return items[0]?.digest ?? NO_ROWS;
  },
  groupOf: ({ extra, row }) => `${extra} ${dateOf(earliestTime(row) + SURVEY_OFFSET_MS)}`,
  digestOf: ({ key, extra, row }) => rowDigest({ key, survey_campaign_id: extra, row }),
  groupSql: `CAST(survey_campaign_id AS text) || ' ' || ${SURVEY_DAY_SQL}`,
  daySql: SURVEY_DAY_SQL,
  timezone: 'Asia/Bangkok',
  inTimezone: () => survey,
};

/** The digest of a group without rows. */
const NO_ROWS = hexDigest(0n);

function windowOf(group: string) {
  const [survey_campaign_id, date] = group.split(' ') as [string, string];
  return { survey_campaign_id, start_date: date, end_date: date };
}

function earliestTime(row: CopiedRow['row']): number {
  const times = SURVEY_TIMES.map((name) => row[name]);
  return Math.min(...times.filter((time) => typeof time === 'string').map(Date.parse));
}

/** A time beyond the first and the last day counts to that day. A row of a copy that somebody has changed may have no time. */
function dateOf(time: number): string {
  if (!Number.isFinite(time)) return '';
  const day = Math.min(Math.max(Math.floor(time / DAY_MS), ALL_DAYS.first), ALL_DAYS.last);
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const offsetFormats = new Map<string, Intl.DateTimeFormat>();

/** The date of an instant on the clocks of a timezone. */
export function localDate(time: number, timeZone: string): string {
  if (!Number.isFinite(time)) return '';
  const format =
    offsetFormats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  offsetFormats.set(timeZone, format);
  const shown = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(format.format(time))!;
  const [, sign, hours = 0, minutes = 0, seconds = 0] = shown;
  const offsetMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return dateOf(time + (sign === '-' ? -offsetMs : offsetMs));
}

/** As B1. */
const DEFAULT_TIMEZONE = 'Asia/Singapore';

export const followedAreas: readonly FollowedArea[] = [contactCenter(DEFAULT_TIMEZONE), survey];

const DAY_MS = 24 * 3_600_000;

/** Days, as numbers since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

/** Every day that a record can have. */
const ALL_DAYS: Days = { first: Date.parse('0001-01-01') / DAY_MS, last: Date.parse('9999-12-31') / DAY_MS };

/**
 * The digests of all days, by as many calls as it takes: a window that holds too much for one answer is halved. All else is that of the
 * first answer: what is read later may be newer.
 */
export async function allDigests<Digests extends { readonly items: readonly unknown[] }>(
  read: (first: string, last: string) => Promise<Digests>,
  days = ALL_DAYS,
): Promise<Digests> {
  try {
    return await read(dateOf(days.first * DAY_MS), dateOf(days.last * DAY_MS));
  } catch (error) {
    if (!isTooLarge(error) || days.first === days.last) throw error;
  }
  const middle = Math.floor((days.first + days.last) / 2);
  const earlier = await allDigests(read, { ...days, last: middle });
  const later = await allDigests(read, { ...days, first: middle + 1 });
  return { ...earlier, items: [...earlier.items, ...later.items] };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.items.some(({ type }) => type === 'too_large');
}
