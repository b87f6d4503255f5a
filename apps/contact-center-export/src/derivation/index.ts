export { type Anchor, type Anchors, calendarSeconds } from './anchors';
export {
  BUSINESS_HOURS_FIELDS,
  type ConversationSessionRow,
  ROW_FIELDS,
  STORED_FIELD_NAMES,
} from './conversation-session-row';
export { SESSION_ACTIONS } from './records';
export type * from './records';
export { type DerivedRow, deriveRows } from './rows';
export { type MeasuredSpan, RULES, SPANS } from './rules';
export { ruleOf, SESSION_END_REASONS } from './sessions';
