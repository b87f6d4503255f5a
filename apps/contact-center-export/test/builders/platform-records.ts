import type {
  ActivityData,
  ContactCenterRecord,
  ConversationData,
  ConversationSurveyData,
  HumanScheduleData,
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
  survey: (data: Partial<ConversationSurveyData> & { id: string; conversationId: string }) =>
    of('conversation_survey', { submittedAt: '2026-01-05T00:30:00.000Z', ...data }),
  schedule: (data: HumanScheduleData) => of('human_schedule', data),
};

export const ANN = { accountId: 1, email: 'ann@example.com', name: 'Ann' };
export const BOB = { accountId: 2, email: 'bob@example.com', name: 'Bob' };

/** A conversation with one row: Ann's session, which is open. */
export function conversationOfAnn(data: Partial<ConversationData> & { id: string }): ReceivedRecord[] {
  return [
    record.conversation(data),
    record.activity({ id: `of ${data.id}`, conversationId: data.id, agent: ANN }),
  ];
}

export function removal(
  type: ContactCenterRecord['type'],
  id: string | number,
  { reason, updatedAt }: { readonly reason?: 'erased'; readonly updatedAt?: string } = {},
): ReceivedRecord {
  return { line: 0, type, op: 'delete', reason, data: { id, updatedAt } };
}

function of(type: ContactCenterRecord['type'], data: ContactCenterRecord['data']): ReceivedRecord {
  return { line: 0, type, data };
}
