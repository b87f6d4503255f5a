import type { StreamedRecord } from '@cxp/record-intake';
import type { OutboxChange } from './outbox.repository';

/**
 * The records of area B that tell of these changes: each message and activity once, each conversation once, after the
 * last of them, as it is by then.
 */
export function changeRecords(changes: readonly OutboxChange[]): StreamedRecord[] {
  const lastOfConversation = new Map(changes.map((change) => [conversationKey(change), change]));
  return changes.flatMap((change) => [
    ...messageRecord(change),
    ...activityRecord(change),
    ...(lastOfConversation.get(conversationKey(change)) === change ? conversationRecord(change) : []),
  ]);
}

function messageRecord({ organizationId, conversationId, message }: OutboxChange): StreamedRecord[] {
  if (!message) return [];
  const { id, senderType, sentAt } = message;
  return [{ organizationId, type: 'message', data: { id, conversationId, senderType, sentAt } }];
}

function activityRecord({ organizationId, conversationId, activity }: OutboxChange): StreamedRecord[] {
  if (!activity) return [];
  return [{ organizationId, type: 'activity', data: { ...activity, conversationId } }];
}

function conversationRecord({
  organizationId,
  conversationId,
  conversation,
}: OutboxChange): StreamedRecord[] {
  if (!conversation) return [];
  const { createdAt, updatedAt, closedAt, userId, userName, userEmail, userPhone } = conversation;
  const customer = {
    filumId: userId,
    name: userName ?? '',
    phone: userPhone ?? '',
    email: userEmail ?? '',
  };
  return [
    {
      organizationId,
      type: 'conversation',
      data: { id: conversationId, createdAt, updatedAt, closedAt, customer },
    },
  ];
}

function conversationKey({ organizationId, conversationId }: OutboxChange): string {
  return `${organizationId} ${conversationId}`;
}
