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
export { ChatEndedError, ChatError, type Accepted, type ChatFrames } from './chat/frames';
export type { ChatEvent, ChatEventPage } from './types';
