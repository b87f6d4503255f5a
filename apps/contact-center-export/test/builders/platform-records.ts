import type {
  ActivityData,
  ContactCenterRecord,
  ConversationData,
  MessageData,
  ReceivedRecord,
  TicketData,
} from '@cxp/records';

/** Records as they come in, with what a case does not care about filled in. */
export const record = {
  conversation: (data: Partial<ConversationData> & { id: string }) =>
    of('conversation', {
      createdAt: '2026-01-05T00:00:00.000Z',
      updatedAt: '2026-01-05T01:00:00.000Z',
      ...data,
    }),
  activity: (data: Partial<ActivityData> & { id: string; conversationId: string }) =>
    of('activity', { action: 'assign', occurredAt: '2026-01-05T00:10:00.000Z', ...data }),
  message: (data: Partial<MessageData> & { id: string; conversationId: string }) =>
    of('message', { senderType: 'agent', sentAt: '2026-01-05T00:20:00.000Z', ...data }),
  ticket: (data: Partial<TicketData> & { id: number; conversationId: string }) =>
    of('ticket', {
      createdAt: '2026-01-05T00:15:00.000Z',
      updatedAt: '2026-01-05T00:15:00.000Z',
      ...data,
    }),
  survey: (data: { id: string; conversationId: string; submittedAt: string; rating?: number }) =>
    of('conversation_survey', data),
};

function of(type: ContactCenterRecord['type'], data: ContactCenterRecord['data']): ReceivedRecord {
  return { line: 0, type, data };
}
