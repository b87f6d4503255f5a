import {
  type Change,
  type ChangeBatch,
  ChangeFeed,
  type ChangeLine,
  type FollowOptions,
  type LineOptions,
} from './changes';
import type { CallOptions, HttpClient } from './http/http-client';
import { resumableLines } from './http/ndjson';
import type {
  ConversationExplanation,
  ConversationSession,
  ConversationSessionDigests,
  ConversationSessionPage,
  ConversationSessionQuery,
  HumanSchedule,
} from './types';

const PATH = '/external/conversation-sessions';
const MAX_PER_PAGE = 100;

export type ConversationSessionKey = Readonly<{
  conversationId: string;
  sessionIndex: number | null;
  ticketId: number | null;
}>;

export type ConversationSessionChange = Change<
  ConversationSessionKey,
  ConversationSession,
  { readonly conversationUpdatedAt: string }
>;

/** A row of the stream; `cursor` continues the window after it. */
export type StreamedConversationSession = ConversationSession & {
  readonly cursor: string;
  /** With `forCopy`: beside key and row, the digest of a row covers it. */
  readonly conversationUpdatedAt?: string;
};

export interface ExplanationOptions extends CallOptions {
  readonly timezone?: string;
  /** Only rows of this session; `none`: without one. */
  readonly sessionIndex?: number | 'none';
  /** Only rows of this ticket; `none`: without one. */
  readonly ticketId?: number | 'none';
  /** In place of the organization's own. */
  readonly humanSchedule?: HumanSchedule;
}

type Window = Pick<ConversationSessionQuery, 'startDate' | 'endDate' | 'timezone'>;

/** Area B: one row per agent session and matched ticket. */
export class ConversationSessions {
  private readonly feed: ChangeFeed<ConversationSessionChange>;

  constructor(private readonly http: HttpClient) {
    this.feed = new ChangeFeed(http, '/external/conversation-session-changes');
  }

  /** One page. */
  page(query: ConversationSessionQuery, { signal }: CallOptions = {}): Promise<ConversationSessionPage> {
    return this.http.json({ path: PATH, query, signal });
  }

  /** Every row of the window, page by page. Conversations that change meanwhile are at the end, once more. */
  async *list(
    query: Omit<ConversationSessionQuery, 'page' | 'cursor'>,
    options: CallOptions = {},
  ): AsyncGenerator<ConversationSession> {
    // By cursors: a conversation that changes between two pages moves the numbers of those after it.
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
      const page = await this.page({ perPage: MAX_PER_PAGE, ...query, cursor }, options);
      yield* page.items;
      cursor = page.items.length < page.perPage ? null : page.nextCursor;
    }
  }

  /**
   * Every row of the window as one stream, which is faster and counts as one request. A stream that is cut continues after
   * its last row.
   */
  stream(
    query: Omit<ConversationSessionQuery, 'page' | 'perPage'>,
    { signal, forCopy = false }: CallOptions & { readonly forCopy?: boolean } = {},
  ): AsyncGenerator<StreamedConversationSession> {
    const accept = forCopy ? 'application/x-ndjson; profile=copy' : undefined;
    return resumableLines(this.http, { path: PATH, query, signal, ...(accept && { accept }) });
  }

  /** Every row of one conversation. @throws NotFoundError */
  async ofConversation(
    conversationId: string,
    { timezone, signal }: { readonly timezone?: string } & CallOptions = {},
  ): Promise<ConversationSession[]> {
    const path = `${PATH}/${encodeURIComponent(conversationId)}`;
    return (await this.http.json<{ items: ConversationSession[] }>({ path, query: { timezone }, signal }))
      .items;
  }

  /**
   * Why each figure of the rows of one conversation is what it is, or would be with another schedule: of the first 100 rows, or of those that
   * are chosen.
   * @throws NotFoundError
   */
  explanation(
    conversationId: string,
    { humanSchedule, signal, ...query }: ExplanationOptions = {},
  ): Promise<ConversationExplanation> {
    const path = `${PATH}/${encodeURIComponent(conversationId)}/explanation`;
    const what = humanSchedule && { method: 'POST' as const, body: { humanSchedule }, isRepeatable: true };
    return this.http.json({ path, query, signal, ...what });
  }

  /** Follows all changes of the organization's rows. */
  changes(
    options: FollowOptions & { readonly timezone?: string } = {},
  ): AsyncGenerator<ChangeBatch<ConversationSessionChange>> {
    return this.feed.follow(options, { timezone: options.timezone });
  }

  /** The lines of the change stream as the service writes them, each with its cursor. */
  changeLines(
    options: LineOptions & { readonly timezone?: string } = {},
  ): AsyncGenerator<ChangeLine<ConversationSessionChange>> {
    return this.feed.lines(options, { timezone: options.timezone });
  }

  /**
   * What a right copy of the window comes to, day by day. After a 410, when `changes` calls `onExpired`: compare them with the copy, of all
   * days that there are; read the days that differ (`stream` with `forCopy` and the same timezone), remove what they no longer have, and
   * return `cursor`. If more than half of the days differ, or `schedule` is not that of the copy, return null.
   */
  async digests(
    window: Window,
    { signal }: CallOptions = {},
  ): Promise<ConversationSessionDigests & { readonly schedule?: string }> {
    const { body, headers } = await this.http.jsonWithHeaders<ConversationSessionDigests>({
      path: '/external/conversation-session-digests',
      query: window,
      signal,
    });
    return { ...body, schedule: headers.get('x-human-schedule') ?? undefined };
  }
}
