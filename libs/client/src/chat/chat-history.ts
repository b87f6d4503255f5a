import { HttpClient, type CallOptions } from '../http/http-client';
import type { ChatEventPage, MessagePage } from '../types';

export interface ChatHistoryOptions extends CallOptions {
  /** Base URL of webchat-gateway. */
  readonly url: string;
  readonly session: { readonly conversationId: string; readonly sessionToken: string };
  /** Only what comes before this `event` (of messages: `sequence`): the page before. */
  readonly before?: number;
  /** Only what comes after it, oldest first. */
  readonly after?: number;
  /** 1 to 100, default 50. */
  readonly limit?: number;
}

/** The last events of a conversation. It needs the session's token only, so a browser may call it. */
export function chatEvents(options: ChatHistoryOptions): Promise<ChatEventPage> {
  return history(options, 'events');
}

/** The last messages of a conversation, in the same way. */
export function chatMessages(options: ChatHistoryOptions): Promise<MessagePage> {
  return history(options, 'messages');
}

function history<Page>(
  { url, session, before, after, limit, signal }: ChatHistoryOptions,
  kind: 'events' | 'messages',
): Promise<Page> {
  const headers = { authorization: `Bearer ${session.sessionToken}` };
  return new HttpClient({ url, area: 'webchat', headers }).json({
    path: `/external/conversations/${encodeURIComponent(session.conversationId)}/${kind}`,
    query: { before, after, limit },
    signal,
  });
}
