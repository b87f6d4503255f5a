import {
  ChangeFeed,
  type ChangeBatch,
  type ChangeLine,
  type FollowOptions,
  type LineOptions,
} from './changes';
import { segment, type CallOptions, type HttpClient } from './http-client';
import type {
  ExportWindow,
  SurveyCampaign,
  SurveyCampaignPage,
  SurveyCampaignQuery,
  SurveyLink,
  SurveyLinkInput,
  SurveyResponse,
  SurveyResponseChange,
  SurveyResponseDigestQuery,
  SurveyResponseDigests,
  SurveyResponsePage,
  SurveyResponseQuery,
} from './types';

const RESPONSES = '/external/survey-responses';
const MAX_PER_PAGE = 100;

export class SurveyCampaigns {
  constructor(private readonly http: HttpClient) {}

  page(query: SurveyCampaignQuery = {}, { signal }: CallOptions = {}): Promise<SurveyCampaignPage> {
    return this.http.json({ path: '/external/survey-campaigns', query, has: 'items', signal });
  }

  /** Matching campaigns, page by page. A campaign answered meanwhile moves to the first page: it may appear twice, or never. */
  list(
    query: Omit<SurveyCampaignQuery, 'page'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<SurveyCampaign> {
    return itemsOfPages((page) => this.page({ per_page: MAX_PER_PAGE, ...query, page }, options));
  }
}

/** From the headers of an export. */
export interface ExportFacts {
  /** Responses in the window, exported or not. */
  readonly totalCount: number;
  /** Whether the row limit cut the export. */
  readonly isTruncated: boolean;
  /** The first day of the export, which may have been moved. */
  readonly startDate: string;
}

/** By column name. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

export class SurveyResponses {
  private readonly feed: ChangeFeed<SurveyResponseChange>;

  constructor(private readonly http: HttpClient) {
    this.feed = new ChangeFeed(http, '/external/survey-response-changes');
  }

  page(query: SurveyResponseQuery, { signal }: CallOptions = {}): Promise<SurveyResponsePage> {
    return this.http.json({ path: RESPONSES, query, has: 'items', signal });
  }

  /** Responses of the window, page by page. If some are removed meanwhile, others may be skipped: `changes` loses none. */
  list(
    query: Omit<SurveyResponseQuery, 'page' | 'cursor'>,
    options: CallOptions = {},
  ): AsyncGenerator<SurveyResponse> {
    return itemsOfPages((page) => this.page({ per_page: MAX_PER_PAGE, ...query, page }, options));
  }

  /** Tab-separated, decoded from UTF-16LE, without the byte order mark. */
  async exportText(
    window: ExportWindow,
    { signal }: CallOptions = {},
  ): Promise<ExportFacts & { readonly text: string }> {
    const { bytes, response } = await this.http.bytes(exportRequest(window, signal));
    return { text: new TextDecoder('utf-16le').decode(bytes), ...exportFacts(response.headers) };
  }

  /** By column title. */
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

  changes(options: FollowOptions = {}): AsyncGenerator<ChangeBatch<SurveyResponseChange>> {
    return this.feed.follow(options);
  }

  /** The service's lines, each with its cursor. */
  changeLines(options: LineOptions = {}): AsyncGenerator<ChangeLine<SurveyResponseChange>> {
    return this.feed.lines(options);
  }

  /**
   * Digests by campaign and day. In `onExpired`, after a 410: compare them with the copy for all days; read the campaigns' days
   * that differ (`list`; repeat if the result differs from the current `digests`), remove responses that are gone, and return
   * `cursor`. Return null if more than half of them differ.
   */
  digests(window: SurveyResponseDigestQuery, { signal }: CallOptions = {}): Promise<SurveyResponseDigests> {
    return this.http.json({ path: '/external/survey-response-digests', query: window, has: 'items', signal });
  }
}

export interface CreatedSurveyLink extends SurveyLink {
  /** null if the platform serves no public pages. */
  readonly url: string | null;
}

export class SurveyLinks {
  constructor(private readonly http: HttpClient) {}

  /**
   * Creates a link, or returns the one with the same mapping.
   * @throws InvalidRequestError if the campaign has its maximum number of links; NotFoundError
   */
  async create(
    campaignId: string,
    link: SurveyLinkInput,
    { signal }: CallOptions = {},
  ): Promise<CreatedSurveyLink> {
    const path = `/external/survey-campaigns/${segment(campaignId)}/links`;
    const request = { method: 'POST' as const, path, body: link, signal };
    const { body, headers } = await this.http.jsonWithHeaders<SurveyLink>(request);
    return { ...body, url: alternateUrl(headers.get('link')) };
  }
}

/** One page is in memory at a time. */
async function* itemsOfPages<Item>(
  load: (page: number) => Promise<{ readonly items: readonly Item[]; readonly pages: number }>,
): AsyncGenerator<Item> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const loaded = await load(page);
    pages = loaded.pages;
    yield* loaded.items;
  }
}

function alternateUrl(link: string | null): string | null {
  return /<([^>]*)>\s*;[^,]*\brel="?alternate"?/.exec(link ?? '')?.[1] ?? null;
}

function exportRequest(window: ExportWindow, signal: AbortSignal | undefined) {
  return { method: 'POST' as const, path: `${RESPONSES}/export`, query: window, has: 'items', signal };
}

function exportFacts(headers: Headers): ExportFacts {
  return {
    totalCount: Number(headers.get('x-total-count')),
    isTruncated: headers.get('x-export-truncated') === 'true',
    startDate: headers.get('x-export-start-date') ?? '',
  };
}
