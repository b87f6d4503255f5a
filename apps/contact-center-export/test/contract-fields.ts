/** The fields of a ConversationSession row, in the contract's order, with their types. */
export const CONTRACT_FIELDS = {
  sessionIndex: 'integer or null',
  sessionAgentEmail: 'string',
  sessionAgentName: 'string',
  sessionAgentAccountId: 'integer or null',
  sessionStartAt: 'date-time or null',
  sessionTookOverAt: 'date-time or null',
  sessionEndAt: 'date-time or null',
  sessionStartAction: 'string',
  sessionEndAction: 'string',
  sessionEndReason: 'string',

  conversationId: 'string',
  conversationCreatedAt: 'date-time or null',
  conversationRoutedToAiAt: 'date-time or null',
  conversationRoutedToAgentAt: 'date-time or null',
  conversationAssignedAt: 'date-time or null',
  conversationAgentTookOverAt: 'date-time or null',
  sentToRatingAt: 'date-time or null',
  conversationClosedAt: 'date-time or null',
  conversationResolvedAt: 'date-time or null',

  customerFilumId: 'string',
  customerName: 'string',
  customerPhone: 'string',
  customerEmail: 'string',

  ticketId: 'integer or null',
  ticketCreatedAt: 'date-time or null',
  ticketUpdatedAt: 'date-time or null',
  ticketSubject: 'string',
  ticketDescription: 'string',
  ticketStatus: 'string',
  ticketPriority: 'string',
  ticketDueDate: 'date-time or null',
  ticketAssignedAt: 'date-time or null',
  ticketResolvedAt: 'date-time or null',
  installedSourceId: 'integer or null',
  installedSourceName: 'string',
  channelType: 'string',

  botHandoffAt: 'date-time or null',
  firstAgentAssignedAt: 'date-time or null',
  firstAgentMessageAt: 'date-time or null',
  lastAgentMessageAt: 'date-time or null',

  waitTimeSeconds: 'integer or null',
  firstResponseTimeSeconds: 'integer or null',
  resolutionTimeSeconds: 'integer or null',
  waitTimeBusinessHoursSeconds: 'integer or null',
  firstResponseTimeBusinessHoursSeconds: 'integer or null',
  resolutionTimeBusinessHoursSeconds: 'integer or null',

  rating: 'integer or null',
  resolutionYesNo: 'string',
  feedback: 'string',
  submittedAt: 'date-time or null',

  customFields: 'object',
} as const;

export type ContractField = keyof typeof CONTRACT_FIELDS;
export const CONTRACT_FIELD_NAMES = Object.keys(CONTRACT_FIELDS) as ContractField[];

/** A row as the API answers it. */
export type AnsweredRow = Record<ContractField, unknown>;
