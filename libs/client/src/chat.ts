import { checkToken, HttpClient, segment, type CallOptions } from './http-client';
import type { ChatEvent, ChatEventPage } from './types';

export {
  ChatSocket,
  type ChatEnd,
  type ChatPosition,
  type ChatSession,
  type ChatSocketOptions,
  type ChatStatus,
  type WebSocketLike,
} from './chat/chat-socket';
export { ChatEndedError, ChatError, type Accepted, type ChatFrames } from './chat/frames';
export type { ChatEvent, ChatEventPage } from './types';

export interface ChatHistoryOptions extends CallOptions {
  readonly url: string;
  readonly session: { readonly conversationId: string; readonly sessionToken: string };
  /** Only events before this `event`. */
  readonly before?: number;
  /** Only events after it, oldest first. */
  readonly after?: number;
  readonly type?: ChatEvent['type'];
  /** 1 to 100, default 50. */
  readonly limit?: number;
}

/** Needs only the session's token, so a browser may call it. */
export async function chatEvents({
  url,
  session,
  before,
  after,
  type,
  limit,
  signal,
}: ChatHistoryOptions): Promise<ChatEventPage> {
  checkToken(session.sessionToken, 'session.sessionToken');
  const headers = { authorization: `Bearer ${session.sessionToken}` };
  return new HttpClient({ url, urlName: 'url', headers }).json({
    path: `/external/conversations/${segment(session.conversationId)}/events`,
    has: 'items',
    query: { before, after, type, limit },
    signal,
  });
}
