export { ChatEndedError, ChatError } from './chat/chat-errors';
export { chatEvents, type ChatHistoryOptions } from './chat/chat-history';
export {
  ChatSocket,
  type ChatEnd,
  type ChatPosition,
  type ChatSession,
  type ChatSocketOptions,
  type ChatStatus,
  type WebSocketLike,
} from './chat/chat-socket';
export type { Accepted, ChatFrames } from './chat/frames';
export type { ChatEvent, ChatEventPage } from './types';
