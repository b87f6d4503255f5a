import { HttpClient, type CallOptions } from '../http/http-client';
import type { ChatEvent, ChatEventPage } from '../types';

export interface ChatHistoryOptions extends CallOptions {
  /** Base URL of webchat-gateway. */
  readonly url: string;
  readonly session: { readonly conversationId: string; readonly sessionToken: string };
  /** Only what comes before this `event`: the page before. */
  readonly before?: number;
  /** Only what comes after it, oldest first. */
  readonly after?: number;
  /** Only events of this type. */
  readonly type?: ChatEvent['type'];
  /** 1 to 100, default 50. */
  readonly limit?: number;
}

/** The last events of a conversation. It needs the session's token only, so a browser may call it. */
export function chatEvents({
  url,
  session,
  before,
  after,
  type,
  limit,
  signal,
}: ChatHistoryOptions): Promise<ChatEventPage> {
  const headers = { authorization: `Bearer ${session.sessionToken}` };
  return new HttpClient({ url, area: 'webchat', headers }).json({
    path: `/external/conversations/${encodeURIComponent(session.conversationId)}/events`,
    query: { before, after, type, limit },
    signal,
  });
}
