export { SESSION_ACTIONS } from './actions';
export {
  BUSINESS_HOURS_FIELDS,
  type ConversationSessionRow,
  type DateTime,
  ROW_FIELDS,
  STORED_FIELD_NAMES,
} from './conversation-session-row';
export type * from './records';
export { type DerivedRow, deriveRows } from './rows';
export { SESSION_END_REASONS, type SessionEndReason } from './sessions';
