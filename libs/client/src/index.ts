export * from './chat';
export type {
  ChangeBatch,
  ChangeLine,
  FollowOptions,
  LineOptions,
  Removal,
  Resync,
  StartReason,
  Upsert,
} from './changes';
export type {
  ConversationSessionChange,
  ConversationSessionKey,
  StreamedConversationSession,
} from './conversation-sessions';
export { CxpClient, type CxpClientOptions } from './cxp-client';
export * from './errors';
export { type Hint, type HintHeaders, InvalidHintError, verifyHint } from './hints';
export type { CallOptions } from './http-client';
export type { RetryOptions } from './http-client';
export type { CreateSessionInput } from './sessions';
export type {
  CreatedSurveyLink,
  ExportedRow,
  ExportFacts,
  ExportWindow,
  SurveyResponseChange,
} from './surveys';
export type * from './types';
