import {
  type ChangeBatch,
  ChangeFeed,
  type ChangeLine,
  type FollowOptions,
  type LineOptions,
} from './changes';
import { segment, type CallOptions, type HttpClient } from './http-client';
import type {
  ConversationExplanation,
  ConversationSession,
  ConversationSessionChange,
  ConversationSessionDigests,
  ConversationSessionPage,
  ConversationSessionQuery,
  HumanSchedule,
} from './types';

const PATH = '/external/conversation-sessions';
const MAX_PER_PAGE = 100;

/** `cursor` continues the window after the row. */
export type StreamedConversationSession = ConversationSession & {
  readonly cursor: string;
  /** With `forCopy`; the row's digest covers it. */
  readonly conversationUpdatedAt?: string;
};

export interface ExplanationOptions extends CallOptions {
  readonly timezone?: string;
  /** `none` means rows without a session. */
  readonly sessionIndex?: number | 'none';
  /** `none` means rows without a ticket. */
  readonly ticketId?: number | 'none';
  /** Replaces the organization's own. */
  readonly humanSchedule?: HumanSchedule;
}

type Window = Pick<ConversationSessionQuery, 'startDate' | 'endDate' | 'timezone'>;

/** Area B: one row per agent session and matched ticket. */
export class ConversationSessions {
  private readonly feed: ChangeFeed<ConversationSessionChange>;

  constructor(private readonly http: HttpClient) {
    this.feed = new ChangeFeed(http, '/external/conversation-session-changes');
  }

  page(query: ConversationSessionQuery, { signal }: CallOptions = {}): Promise<ConversationSessionPage> {
    return this.http.json({ path: PATH, query, has: 'items', signal });
  }

  /** Every row of the window, page by page. A conversation that changes meanwhile appears again at the end. */
  async *list(
    query: Omit<ConversationSessionQuery, 'page' | 'cursor'>,
    options: CallOptions = {},
  ): AsyncGenerator<ConversationSession> {
    // Cursors, because a conversation that changes between two pages shifts page numbers.
    for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
      const page = await this.page({ perPage: MAX_PER_PAGE, ...query, cursor }, options);
      yield* page.items;
      cursor = page.items.length < page.perPage ? null : page.nextCursor;
    }
  }

  /** Every row of the window in one request; faster than pages. An interrupted stream continues after its last row. */
  stream(
    query: Omit<ConversationSessionQuery, 'page' | 'perPage'>,
    { signal, forCopy = false }: CallOptions & { readonly forCopy?: boolean } = {},
  ): AsyncGenerator<StreamedConversationSession> {
    const accept = forCopy ? 'application/x-ndjson; profile=copy' : undefined;
    return this.http.lines({ path: PATH, query, accept, signal });
  }

  /** @throws NotFoundError */
  async ofConversation(
    conversationId: string,
    { timezone, signal }: { readonly timezone?: string } & CallOptions = {},
  ): Promise<ConversationSession[]> {
    const path = `${PATH}/${segment(conversationId)}`;
    const request = { path, query: { timezone }, has: 'items', signal };
    return (await this.http.json<{ items: ConversationSession[] }>(request)).items;
  }

  /**
   * Explains each figure of a conversation's first 100 rows, or of chosen ones, also under another schedule.
   * @throws NotFoundError
   */
  explanation(
    conversationId: string,
    { humanSchedule, signal, ...query }: ExplanationOptions = {},
  ): Promise<ConversationExplanation> {
    const path = `${PATH}/${segment(conversationId)}/explanation`;
    const what = humanSchedule && { method: 'POST' as const, body: { humanSchedule }, isRepeatable: true };
    return this.http.json({ path, query, signal, ...what });
  }

  changes(
    options: FollowOptions & { readonly timezone?: string } = {},
  ): AsyncGenerator<ChangeBatch<ConversationSessionChange>> {
    return this.feed.follow(options);
  }

  /** The service's lines, each with its cursor. */
  changeLines(
    options: LineOptions & { readonly timezone?: string } = {},
  ): AsyncGenerator<ChangeLine<ConversationSessionChange>> {
    return this.feed.lines(options);
  }

  /**
   * Daily digests of the rows in the window. In `onExpired`, after a 410: compare them with the copy for all days; read the
   * days that differ (`stream` with `forCopy` and the same timezone), remove rows that are gone, and return `cursor`. Return
   * null if more than half of the days differ, or `schedule` is not the copy's.
   */
  async digests(
    window: Window,
    { signal }: CallOptions = {},
  ): Promise<ConversationSessionDigests & { readonly schedule?: string }> {
    const { body, headers } = await this.http.jsonWithHeaders<ConversationSessionDigests>({
      path: '/external/conversation-session-digests',
      query: window,
      has: 'items',
      signal,
    });
    return { ...body, schedule: headers.get('x-human-schedule') ?? undefined };
  }
}
