import { canonicalWriter, hexDigest, textDigest } from '@cxp/change-feed/row-digest';
import {
  type ChangeBatch,
  type ChangeLine,
  type CxpClient,
  type FollowOptions,
  InvalidRequestError,
  type LineOptions,
  type SurveyCampaign,
} from '@cxp/client';
import type { SqlColumn } from './database';
import { dateAfter, dateAt, DAY_MS, FIRST_DATE, LAST_DATE } from './days';
import fields from './fields.json';

/** An item of either feed. */
export interface FollowedChange {
  readonly op: 'upsert' | 'delete';
  readonly change: number;
  readonly key: Readonly<Record<string, string | number | null>>;
  readonly digest?: string;
  readonly row?: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

/** Holds one member of the key, the item or the row. */
export interface CopyColumn extends SqlColumn {
  readonly member: string;
}

interface Field {
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
}

/** A column with the value of a row's field. */
export interface FieldColumn extends CopyColumn {
  readonly sentence: string;
  readonly sql: string;
}

export function fieldColumn(field: string, name: string, { type, format, description }: Field): FieldColumn {
  const scalar = format === 'date-time' ? 'timestamptz' : type === 'integer' ? 'bigint' : 'text';
  const [sqlType, sql] =
    type === 'object' ? ['json', `"row"->'${field}'`] : [scalar, `CAST("row"->>'${field}' AS ${scalar})`];
  return { name, type: sqlType, member: field, sentence: description!, sql };
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const EXPORT_COLUMNS = Object.entries(fields['contact-center-export']).map(([field, schema]) =>
  fieldColumn(field, snakeCase(field), schema),
);

/** What figures of agents and periods are computed from. */
const OF_FIGURES =
  /^(session_start_at|session_agent_\w+|first_agent_message_at|(wait|first_response|resolution)_time_\w+|rating|resolution_yes_no)$/;

export interface FollowedCampaign {
  readonly id: string;
  readonly status: string;
  readonly row: SurveyCampaign;
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

/** The differences between the feeds of the two areas. */
export interface FollowedFeed {
  readonly name: 'contact-center' | 'survey';
  /** Its key in the `urls` of the client and of `demo.json`. */
  readonly urlKey: 'contactCenter' | 'survey';
  readonly table: string;
  readonly keyColumns: readonly CopyColumn[];
  /** The one column beside the key that the digest covers. */
  readonly extraColumn: CopyColumn;
  /** Fields of the row as columns: views of figures read no JSON. */
  readonly fieldColumns: readonly FieldColumn[];
  /** One of them: an index finds the rows of a period by it. */
  readonly startColumn?: string;
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
  /** What the feed does not have. */
  readonly campaigns?: (client: CxpClient) => Promise<FollowedCampaign[]>;
  /** The group of a copied row: its day of UTC (in area C: campaign and day), by which copies are proven. */
  readonly groupOf: (copied: CopiedRow) => string;
  /** A condition that holds for all rows of the groups, perhaps for others, too. */
  readonly areNear: (groups: readonly string[]) => string;
  /** What a seal shows a change of, and nothing else, as canonical JSON. */
  readonly shownText: (copied: CopiedRow) => string;
  /** The instant by which figures count a row to a day, in milliseconds; NaN: the row has none. */
  readonly countedAt: (copied: CopiedRow) => number;
  /** The same in SQL, of the columns of the table. */
  readonly countedAtSql: string;
  readonly countedBy: string;
  /** Of the rows' business hours and the days of seals. */
  readonly timezone: string;
  readonly inTimezone: (timezone: string) => FollowedFeed;
}

/** As JSON. */
export interface CopiedRow {
  readonly key: Readonly<Record<string, string | number | null>>;
  /** The value of `extraColumn`; times are ISO 8601 in UTC with milliseconds. */
  readonly extra: string;
  readonly row: Readonly<Record<string, string | null>>;
}

/** Proofs are by days for which nobody needs rules of timezones. */
const UTC = 'UTC';

/** Writes canonical JSON of rows. Names are sorted when a row has others than the row before: that takes longer than all else. */
function rowWriter(leftOut: readonly string[] = []): (row: CopiedRow['row']) => string {
  let names: readonly string[] = [];
  let write = canonicalWriter<CopiedRow['row']>(names);
  return (row) => {
    const members = Object.keys(row);
    if (members.length !== names.length || members.some((name, place) => name !== names[place])) {
      names = members;
      write = canonicalWriter(members.filter((name) => !leftOut.includes(name)));
    }
    return write(row);
  };
}

const rowText = rowWriter();
/** Proofs are the same for all timezones. */
const provenText = rowWriter([
  'waitTimeBusinessHoursSeconds',
  'firstResponseTimeBusinessHoursSeconds',
  'resolutionTimeBusinessHoursSeconds',
]);
const sessionKeyText = canonicalWriter<CopiedRow['key']>(['conversationId', 'sessionIndex', 'ticketId']);

const contactCenter = (timezone: string): FollowedFeed => ({
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
  fieldColumns: EXPORT_COLUMNS.filter(({ name }) => OF_FIGURES.test(name)),
  startColumn: 'session_start_at',
  follow: (client, options) => client.conversationSessions.changes({ ...options, timezone }),
  lines: (client, options) => client.conversationSessions.changeLines({ ...options, timezone }),
  digests: async (client) => {
    const { change, cursor, schedule, items } = await allDigests((startDate, endDate) =>
      client.conversationSessions.digests({ startDate, endDate, timezone: UTC }),
    );
    const groups = new Map(items.map(({ date, digest }) => [date, digest]));
    return { change, cursor, schedule: schedule ?? null, groups };
  },
  begin: async (client) => {
    const day = { startDate: '2026-01-01', endDate: '2026-01-01', timezone };
    const { change, schedule } = await client.conversationSessions.digests(day);
    return { began: change, schedule: schedule ?? null };
  },
  rowsOf: async function* (client, date) {
    // Days of the timezone that the day of UTC touches, in whatever edition of the timezones.
    const window = { startDate: dateAfter(date, -1), endDate: dateAfter(date, 1), timezone };
    for await (const line of client.conversationSessions.stream(window, { forCopy: true })) {
      const { cursor: _, conversationUpdatedAt, ...row } = line;
      if (dateAt(Date.parse(conversationUpdatedAt!)) !== date) continue;
      const { conversationId, sessionIndex, ticketId } = row;
      const key = { conversationId, sessionIndex, ticketId };
      yield { key, extra: conversationUpdatedAt!, row: row as unknown as CopiedRow['row'] };
    }
  },
  digestOf: ({ key, extra, row }) =>
    textDigest(`{"conversationUpdatedAt":"${extra}","key":${sessionKeyText(key)},"row":${provenText(row)}}`),
  groupOf: ({ extra }) => dateAt(Date.parse(extra)),
  areNear: (dates) => {
    const days = dates.map((date) => Date.parse(date) / DAY_MS);
    return `floor(extract(epoch FROM conversation_updated_at) / 86400) IN (${days.join()})`;
  },
  shownText: ({ key, row }) => `{"key":${sessionKeyText(key)},"row":${rowText(row)}}`,
  countedAt: ({ key, extra, row }) => Date.parse(key.sessionIndex === null ? extra : row.sessionStartAt!),
  countedAtSql: 'CASE WHEN session_index IS NULL THEN conversation_updated_at ELSE session_start_at END',
  countedBy: 'sessionStartAt (rows without a session: of conversationUpdatedAt)',
  timezone,
  inTimezone: contactCenter,
});

const SURVEY_TIMES = ['sent', 'sending_failed', 'opened', 'answered'].map((name) => `${name}_timestamp`);
const SURVEY_TIMES_SQL = SURVEY_TIMES.map((name) => `CAST("row"->>'${name}' AS timestamptz)`).join(', ');
/** C's days are those of UTC+7. */
const SURVEY_TIMEZONE = '+07:00';
const SURVEY_AHEAD_MS = 7 * 3_600_000;

function earliest({ row }: CopiedRow): number {
  const times = SURVEY_TIMES.flatMap((name) => (row[name] ? [Date.parse(row[name])] : []));
  return times.length === 0 ? NaN : Math.min(...times);
}

const responseText = ({ key, extra, row }: CopiedRow) =>
  `{"key":{"identifier":"${key.identifier}"},"row":${rowText(row)},"survey_campaign_id":"${extra}"}`;

const survey: FollowedFeed = {
  name: 'survey',
  urlKey: 'survey',
  table: 'survey_response',
  keyColumns: [{ name: 'identifier', type: 'uuid', member: 'identifier' }],
  extraColumn: {
    name: 'survey_campaign_id',
    type: 'uuid',
    member: 'survey_campaign_id',
  },
  fieldColumns: [],
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
    if (group === NO_GROUP) return;
    const window = windowOf(group);
    for await (const row of client.surveyResponses.list(window)) {
      const key = { identifier: row.identifier };
      yield { key, extra: window.survey_campaign_id, row: row as unknown as CopiedRow['row'] };
    }
  },
  digestOfGroup: async (client, group) => {
    if (group === NO_GROUP) return NO_ROWS;
    const { items } = await client.surveyResponses.digests(windowOf(group));
    return items[0]?.digest ?? NO_ROWS;
  },
  digestOf: (copied) => textDigest(responseText(copied)),
  campaigns,
  groupOf: (copied) => {
    const at = earliest(copied);
    return Number.isNaN(at) ? NO_GROUP : `${copied.extra} ${dateAt(at, SURVEY_AHEAD_MS)}`;
  },
  areNear: (groups) => {
    if (groups.includes(NO_GROUP)) return 'true';
    const campaigns = new Set(groups.map((group) => group.split(' ')[0]!));
    return `CAST(survey_campaign_id AS text) IN (${[...campaigns].map((id) => `'${id}'`).join()})`;
  },
  shownText: responseText,
  countedAt: earliest,
  countedAtSql: `least(${SURVEY_TIMES_SQL})`,
  countedBy: 'the earliest timestamp',
  timezone: SURVEY_TIMEZONE,
  inTimezone: () => survey,
};

const STATUSES = ['draft', 'active', 'inactive', 'deleted'] as const;
const MAX_LOOKS = 5;

/** Of all statuses, which C1 does not answer but chooses by. A campaign that moves between pages meanwhile may be missed. */
async function campaigns(client: CxpClient): Promise<FollowedCampaign[]> {
  for (let look = 1; ; look += 1) {
    const found = new Map<string, FollowedCampaign>();
    for (const status of STATUSES)
      for await (const row of client.surveyCampaigns.list({ statuses: [status] }))
        found.set(row.id, { id: row.id, status, row });
    const { total } = await client.surveyCampaigns.page({ statuses: [...STATUSES], per_page: 1 });
    if (found.size === total || look === MAX_LOOKS) return [...found.values()];
  }
}

/** The group of rows that belong to none: they are wrong. */
const NO_GROUP = '';
/** The digest of a group without rows. */
const NO_ROWS = hexDigest(0n);

function windowOf(group: string) {
  const [survey_campaign_id, date] = group.split(' ') as [string, string];
  return { survey_campaign_id, start_date: date, end_date: date };
}

export const followedFeeds: readonly FollowedFeed[] = [contactCenter(fields.timezone), survey];

/** Numbers of days since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

/** Every day that a record can have. */
const ALL_DAYS: Days = { first: Date.parse(FIRST_DATE) / DAY_MS, last: Date.parse(LAST_DATE) / DAY_MS };

/**
 * Digests of all days: a window that is too large for one answer is halved. Everything else comes from the first answer,
 * because later ones may be newer.
 */
export async function allDigests<Digests extends { readonly items: readonly unknown[] }>(
  read: (first: string, last: string) => Promise<Digests>,
  days = ALL_DAYS,
): Promise<Digests> {
  try {
    return await read(dateAt(days.first * DAY_MS), dateAt(days.last * DAY_MS));
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
