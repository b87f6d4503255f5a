import { rowDigest } from '@cxp/change-feed/row-digest';
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
  readonly digests: (client: CxpClient) => Promise<{ change: number; groups: GroupDigest[] }>;
  /** The group of a row, and its digest, from what the copy holds. */
  readonly groupOf: (copied: CopiedRow) => string;
  readonly digestOf: (copied: CopiedRow) => bigint;
}

/** A row of the copy, as JSON. */
export interface CopiedRow {
  readonly key: Readonly<Record<string, string | number | null>>;
  /** The value of `extraColumn`; times as ISO 8601 in UTC with milliseconds. */
  readonly extra: string;
  readonly row: Readonly<Record<string, string | null>>;
}

const contactCenter: FollowedArea = {
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
  follow: (client, options) => client.conversationSessions.changes(options),
  lines: (client, options) => client.conversationSessions.changeLines(options),
  digests: async (client) => {
    const { change, items } = await allDigests((startDate, endDate) =>
      client.conversationSessions.digests({ startDate, endDate, timezone: 'UTC' }),
    );
    return { change, groups: items.map(({ date, digest }) => ({ group: date, digest })) };
  },
  groupOf: ({ extra }) => extra.slice(0, 10),
  digestOf: ({ key, extra, row }) => {
    const {
      waitTimeBusinessHoursSeconds: _wait,
      firstResponseTimeBusinessHoursSeconds: _firstResponse,
      resolutionTimeBusinessHoursSeconds: _resolution,
      ...covered
    } = row;
    return rowDigest({ key, conversationUpdatedAt: extra, row: covered });
  },
};

/** Days of area C are read in UTC+7. */
const SURVEY_OFFSET_MS = 7 * 3_600_000;

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
    const { change, items } = await allDigests((start_date, end_date) =>
      client.surveyResponses.digests({ start_date, end_date }),
    );
    const groups = items.map(({ survey_campaign_id: campaign, date, digest }) => ({
      group: `${campaign} ${date}`,
      digest,
    }));
    return { change, groups };
  },
  groupOf: ({ extra, row }) =>
    `${extra} ${dateOf(Math.min(earliestTime(row) + SURVEY_OFFSET_MS, ALL_DAYS.last * DAY_MS))}`,
  digestOf: ({ key, extra, row }) => rowDigest({ key, survey_campaign_id: extra, row }),
};

function earliestTime(row: CopiedRow['row']): number {
  const times = ['sent', 'sending_failed', 'opened', 'answered'].map((name) => row[`${name}_timestamp`]);
  return Math.min(...times.filter((time) => typeof time === 'string').map(Date.parse));
}

/** A row of a copy that somebody has changed may have no time. */
function dateOf(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : '';
}

export const followedAreas: readonly FollowedArea[] = [contactCenter, survey];

const DAY_MS = 24 * 3_600_000;

/** Days, as numbers since 1970. */
interface Days {
  readonly first: number;
  readonly last: number;
}

/** Every day that a record can have. */
const ALL_DAYS: Days = { first: Date.parse('0001-01-01') / DAY_MS, last: Date.parse('9999-12-31') / DAY_MS };

interface Digests<Item> {
  readonly change: number;
  readonly items: readonly Item[];
}

/**
 * The digests of all days, by as many calls as it takes: a window that holds too much for one answer is halved. The change is that of the
 * first answer: what is read later may be newer.
 */
export async function allDigests<Item>(
  read: (first: string, last: string) => Promise<Digests<Item>>,
  days = ALL_DAYS,
): Promise<Digests<Item>> {
  try {
    return await read(dateOf(days.first * DAY_MS), dateOf(days.last * DAY_MS));
  } catch (error) {
    if (!isTooLarge(error) || days.first === days.last) throw error;
  }
  const middle = Math.floor((days.first + days.last) / 2);
  const earlier = await allDigests(read, { ...days, last: middle });
  const later = await allDigests(read, { ...days, first: middle + 1 });
  return { change: earlier.change, items: [...earlier.items, ...later.items] };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof InvalidRequestError && error.items.some(({ type }) => type === 'too_large');
}
