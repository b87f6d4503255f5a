export * from './chat';
export type { ChangeBatch, ChangeLine, FollowOptions, LineOptions, StartReason } from './changes';
export type { StreamedConversationSession } from './conversation-sessions';
export { CxpClient, type CxpClientOptions } from './cxp-client';
export * from './errors';
export type { CallOptions, RetryOptions } from './http-client';
export type { CreateSessionInput } from './sessions';
export type { CreatedSurveyLink, ExportedRow, ExportFacts } from './surveys';
export type * from './types';
