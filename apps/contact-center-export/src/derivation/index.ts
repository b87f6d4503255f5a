export { SESSION_ACTIONS } from './actions';
export type { ConversationSessionRow, DateTime } from './conversation-session-row';
export type * from './records';
export { deriveRows } from './rows';
export { SESSION_END_REASONS, type SessionEndReason } from './sessions';
