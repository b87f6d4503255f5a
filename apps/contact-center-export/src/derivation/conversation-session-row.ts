import { type SessionEndReason } from './sessions';

/** ISO 8601, UTC, with milliseconds. */
export type DateTime = string;

/** One ConversationSession of the export, but for the three metrics that depend on the request's timezone. */
export interface ConversationSessionRow {
  readonly sessionIndex: number | null;
  readonly sessionAgentEmail: string;
  readonly sessionAgentName: string;
  readonly sessionAgentAccountId: number | null;
  readonly sessionStartAt: DateTime | null;
  readonly sessionTookOverAt: DateTime | null;
  readonly sessionEndAt: DateTime | null;
  readonly sessionStartAction: string;
  readonly sessionEndAction: string;
  readonly sessionEndReason: SessionEndReason | '';

  readonly conversationId: string;
  readonly conversationCreatedAt: DateTime | null;
  readonly conversationRoutedToAiAt: DateTime | null;
  readonly conversationRoutedToAgentAt: DateTime | null;
  readonly conversationAssignedAt: DateTime | null;
  readonly conversationAgentTookOverAt: DateTime | null;
  readonly sentToRatingAt: DateTime | null;
  readonly conversationClosedAt: DateTime | null;
  readonly conversationResolvedAt: DateTime | null;

  readonly customerFilumId: string;
  readonly customerName: string;
  readonly customerPhone: string;
  readonly customerEmail: string;

  readonly ticketId: number | null;
  readonly ticketCreatedAt: DateTime | null;
  readonly ticketUpdatedAt: DateTime | null;
  readonly ticketSubject: string;
  readonly ticketDescription: string;
  readonly ticketStatus: string;
  readonly ticketPriority: string;
  readonly ticketDueDate: DateTime | null;
  readonly ticketAssignedAt: DateTime | null;
  readonly ticketResolvedAt: DateTime | null;
  readonly installedSourceId: number | null;
  readonly installedSourceName: string;
  readonly channelType: string;

  readonly botHandoffAt: DateTime | null;
  readonly firstAgentAssignedAt: DateTime | null;
  readonly firstAgentMessageAt: DateTime | null;
  readonly lastAgentMessageAt: DateTime | null;

  readonly waitTimeSeconds: number | null;
  readonly firstResponseTimeSeconds: number | null;
  readonly resolutionTimeSeconds: number | null;

  readonly rating: number | null;
  readonly resolutionYesNo: 'Yes' | 'No' | '';
  readonly feedback: string;
  readonly submittedAt: DateTime | null;

  /** The ticket's custom fields: display name → value. */
  readonly customFields: Readonly<Record<string, string>>;
}
