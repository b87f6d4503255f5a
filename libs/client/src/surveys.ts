import {
  ChangeFeed,
  type Change,
  type ChangeBatch,
  type ChangeLine,
  type FollowOptions,
  type LineOptions,
} from './changes';
import type { CallOptions, HttpClient } from './http/http-client';
import { itemsOfPages } from './pages';
import type {
  SurveyCampaign,
  SurveyCampaignPage,
  SurveyCampaignQuery,
  SurveyLink,
  SurveyLinkInput,
  SurveyResponse,
  SurveyResponseDigests,
  SurveyResponsePage,
  SurveyResponseQuery,
} from './types';

const RESPONSES = '/external/survey-responses';
const MAX_PER_PAGE = 100;

/** Area C: campaigns. */
export class SurveyCampaigns {
  constructor(private readonly http: HttpClient) {}

  page(query: SurveyCampaignQuery = {}, { signal }: CallOptions = {}): Promise<SurveyCampaignPage> {
    return this.http.json({ path: '/external/survey-campaigns', query, signal });
  }

  /** The campaigns that match, page by page. One that is answered meanwhile moves to the first page: it may come twice, or not at all. */
  list(
    query: Omit<SurveyCampaignQuery, 'page'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<SurveyCampaign> {
    return itemsOfPages((page) => this.page({ per_page: MAX_PER_PAGE, ...query, page }, options));
  }
}

export type SurveyResponseChange = Change<
  { readonly identifier: string },
  SurveyResponse,
  { readonly survey_campaign_id: string }
>;

/** The campaign and the days, in UTC+7, of an export. */
export interface ExportWindow {
  readonly survey_campaign_id: string;
  readonly start_date: string;
  readonly end_date: string;
}

/** What the headers of an export say. */
export interface ExportFacts {
  /** Responses in the window, exported or not. */
  readonly totalCount: number;
  /** Whether the limit of rows left some out. */
  readonly isTruncated: boolean;
  /** The first day that was used, moved or not. */
  readonly startDate: string;
}

/** A row of an export by column name. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

/** Area C: responses. */
export class SurveyResponses {
  private readonly feed: ChangeFeed<SurveyResponseChange>;

  constructor(private readonly http: HttpClient) {
    this.feed = new ChangeFeed(http, '/external/survey-response-changes');
  }

  page(query: SurveyResponseQuery, { signal }: CallOptions = {}): Promise<SurveyResponsePage> {
    return this.http.json({ path: RESPONSES, query, signal });
  }

  /** The responses of the window, page by page. If some are removed meanwhile, others may be left out: `changes` loses none. */
  list(
    query: Omit<SurveyResponseQuery, 'page' | 'cursor'>,
    options: CallOptions = {},
  ): AsyncGenerator<SurveyResponse> {
    return itemsOfPages((page) => this.page({ per_page: MAX_PER_PAGE, ...query, page }, options));
  }

  /** The export file as text: tab-separated, decoded from UTF-16LE, without the byte order mark. */
  async exportText(
    window: ExportWindow,
    { signal }: CallOptions = {},
  ): Promise<ExportFacts & { readonly text: string }> {
    const { bytes, headers } = await this.http.bytes(exportRequest(window, signal));
    return { text: new TextDecoder('utf-16le').decode(bytes), ...exportFacts(headers) };
  }

  /** The rows of the export as objects, by the titles of their columns. */
  async exportRows(
    window: ExportWindow,
    { signal }: CallOptions = {},
  ): Promise<ExportFacts & { readonly rows: readonly ExportedRow[] }> {
    const { body, headers } = await this.http.jsonWithHeaders<{ readonly items: readonly ExportedRow[] }>({
      accept: 'application/json',
      ...exportRequest(window, signal),
    });
    return { rows: body.items, ...exportFacts(headers) };
  }

  /** Follows all changes of the organization's responses. */
  changes(options: FollowOptions = {}): AsyncGenerator<ChangeBatch<SurveyResponseChange>> {
    return this.feed.follow(options);
  }

  /** The lines of the change stream as the service writes them, each with its cursor. */
  changeLines(options: LineOptions = {}): AsyncGenerator<ChangeLine<SurveyResponseChange>> {
    return this.feed.lines(options);
  }

  /**
   * What a right copy of the window comes to, by campaign and day. After a 410, when `changes` calls `onExpired`: compare them with the copy,
   * of all days that there are; read the campaigns' days that differ (`list`; again, if what was read is not what `digests` says then), remove
   * what they no longer have, and return `cursor`. If more than half of them differ, return null.
   */
  digests(
    window: Omit<ExportWindow, 'survey_campaign_id'> & { readonly survey_campaign_id?: string },
    { signal }: CallOptions = {},
  ): Promise<SurveyResponseDigests> {
    return this.http.json({ path: '/external/survey-response-digests', query: { ...window }, signal });
  }
}

export interface CreatedSurveyLink extends SurveyLink {
  /** The public address of the survey; null if the platform serves no public pages. */
  readonly url: string | null;
}

/** Area C: survey links. */
export class SurveyLinks {
  constructor(private readonly http: HttpClient) {}

  /** Creates a link, or returns the one that exists for the same mapping. @throws LinkLimitError, NotFoundError */
  async create(
    campaignId: string,
    link: SurveyLinkInput,
    { signal }: CallOptions = {},
  ): Promise<CreatedSurveyLink> {
    const request = { method: 'POST' as const, path: linksPath(campaignId), body: link, signal };
    const { body, headers } = await this.http.jsonWithHeaders<SurveyLink>(request);
    return { ...body, url: alternateUrl(headers.get('link')) };
  }
}

function linksPath(campaignId: string): string {
  return `/external/survey-campaigns/${encodeURIComponent(campaignId)}/links`;
}

function alternateUrl(link: string | null): string | null {
  return /<([^>]*)>\s*;[^,]*\brel="?alternate"?/.exec(link ?? '')?.[1] ?? null;
}

function exportRequest(window: ExportWindow, signal: AbortSignal | undefined) {
  return { method: 'POST' as const, path: `${RESPONSES}/export`, query: { ...window }, signal };
}

function exportFacts(headers: Headers): ExportFacts {
  return {
    totalCount: Number(headers.get('x-total-count')),
    isTruncated: headers.get('x-export-truncated') === 'true',
    startDate: headers.get('x-export-start-date') ?? '',
  };
}
