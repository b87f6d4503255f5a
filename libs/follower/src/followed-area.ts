import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import {
  type ChangeBatch,
  type ChangeLine,
  type CxpClient,
  type FollowOptions,
  InvalidRequestError,
  type LineOptions,
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

/** Holds one member of the key, or of the item. */
export interface CopyColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'bigint' | 'uuid' | 'timestamptz';
  readonly member: string;
}

/** Of one snapshot. */
export interface ServedDigests {
  readonly change: number;
  /** Continues a copy that equals the digests. */
  readonly cursor: string;
  readonly schedule: string | null;
  /** The digest of each group of rows: of a day, or of a campaign and a day. */
  readonly groups: ReadonlyMap<string, string>;
}

/** The differences between the two areas. */
export interface FollowedArea {
  readonly name: 'contact-center' | 'survey';
  /** Its key in the `urls` of the client and of `demo.json`. */
  readonly urlKey: 'contactCenter' | 'survey';
  readonly table: string;
  readonly keyColumns: readonly CopyColumn[];
  /** The one column beside the key that the digest covers. */
  readonly extraColumn: CopyColumn;
  readonly follow: (client: CxpClient, options: FollowOptions) => AsyncGenerator<ChangeBatch<FollowedChange>>;
  readonly lines: (client: CxpClient, options: LineOptions) => AsyncGenerator<ChangeLine<FollowedChange>>;
  readonly digests: (client: CxpClient) => Promise<ServedDigests>;
  /**
   * Called when a reading begins: returns the last number, and a text that changes with anything that figures depend on and
   * digests don't cover.
   */
  readonly begin: (
    client: CxpClient,
  ) => Promise<{ readonly began: number; readonly schedule: string | null }>;
  /** The current rows of a group. */
  readonly rowsOf: (client: CxpClient, group: string) => AsyncGenerator<CopiedRow>;
  /** The current digest of a group whose rows are read by pages: a removal can move rows between pages. */
  readonly digestOfGroup?: (client: CxpClient, group: string) => Promise<string>;
  readonly digestOf: (copied: CopiedRow) => bigint;
  /** The group and the day of a copied row. */
  readonly groupSql: string;
  readonly daySql: string;
  /** Of the rows' business hours and the groups' days. */
  readonly timezone: string;
  readonly inTimezone: (timezone: string) => FollowedArea;
}

/** As JSON. */
export interface CopiedRow {
  readonly key: Readonly<Record<string, string | number | null>>;
  /** The value of `extraColumn`; times are ISO 8601 in UTC with milliseconds. */
  readonly extra: string;
  readonly row: Readonly<Record<string, string | null>>;
}

/** A time outside the days counts to the first or last one, like in the service. */
function daySql(time: string, timezone: string): string {
  const day = `CAST(${time} AT TIME ZONE '${timezone}' AS date)`;
  const last = `CASE WHEN ${day} > DATE '9999-12-31' THEN DATE '9999-12-31' ELSE ${day} END`;
  return `CAST(CASE WHEN ${day} < DATE '0001-01-01' THEN DATE '0001-01-01' ELSE ${last} END AS text)`;
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
  },
  follow: (client, options) => client.conversationSessions.changes({ ...options, timezone }),
  lines: (client, options) => client.conversationSessions.changeLines({ ...options, timezone }),
  digests: async (client) => {
    const { change, cursor, schedule, items } = await allDigests((startDate, endDate) =>
      client.conversationSessions.digests({ startDate, endDate, timezone }),
    );
    const groups = new Map(items.map(({ date, digest }) => [date, digest]));
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
  digestOf: ({ key, extra, row }) => {
    const {
      waitTimeBusinessHoursSeconds: _wait,
      firstResponseTimeBusinessHoursSeconds: _firstResponse,
      resolutionTimeBusinessHoursSeconds: _resolution,
      ...covered
    } = row;
    return rowDigest({ key, conversationUpdatedAt: extra, row: covered });
  },
  groupSql: daySql('conversation_updated_at', timezone),
  daySql: daySql('conversation_updated_at', timezone),
  timezone,
  inTimezone: contactCenter,
});

const SURVEY_TIMES = ['sent', 'sending_failed', 'opened', 'answered'].map((name) => `${name}_timestamp`);
const SURVEY_TIMES_SQL = SURVEY_TIMES.map((name) => `CAST("row"->>'${name}' AS timestamptz)`).join(', ');
const SURVEY_DAY_SQL = daySql(`least(${SURVEY_TIMES_SQL})`, 'Asia/Bangkok');

const survey: FollowedArea = {
  name: 'survey',
  urlKey: 'survey',
  table: 'survey_response',
  keyColumns: [{ name: 'identifier', type: 'uuid', member: 'identifier' }],
  extraColumn: {
    name: 'survey_campaign_id',
    type: 'uuid',
    member: 'survey_campaign_id',
  },
  follow: (client, options) => client.surveyResponses.changes(options),
  lines: (client, options) => client.surveyResponses.changeLines(options),
  digests: async (client) => {
    const { change, cursor, items } = await allDigests((start_date, end_date) =>
      client.surveyResponses.digests({ start_date, end_date }),
    );
    const groups = items.map((item) => [`${item.survey_campaign_id} ${item.date}`, item.digest] as const);
    return { change, cursor, schedule: null, groups: new Map(groups) };
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

/** B1's default. */
const DEFAULT_TIMEZONE = 'Asia/Singapore';

export const followedAreas: readonly FollowedArea[] = [contactCenter(DEFAULT_TIMEZONE), survey];

const DAY_MS = 24 * 3_600_000;

/** Numbers of days since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

/** Every day that a record can have. */
const ALL_DAYS: Days = { first: Date.parse('0001-01-01') / DAY_MS, last: Date.parse('9999-12-31') / DAY_MS };

/**
 * Digests of all days: a window that is too large for one answer is halved. Everything else comes from the first answer,
 * because later ones may be newer.
 */
export async function allDigests<Digests extends { readonly items: readonly unknown[] }>(
  read: (first: string, last: string) => Promise<Digests>,
  days = ALL_DAYS,
): Promise<Digests> {
  try {
    return await read(dateOf(days.first), dateOf(days.last));
  } catch (error) {
    if (!isTooLarge(error) || days.first === days.last) throw error;
  }
  const middle = Math.floor((days.first + days.last) / 2);
  const earlier = await allDigests(read, { ...days, last: middle });
  const later = await allDigests(read, { ...days, first: middle + 1 });
  return { ...earlier, items: [...earlier.items, ...later.items] };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.items.some(({ type }) => type === 'too_large');
}
