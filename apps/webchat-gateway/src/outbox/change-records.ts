import type { ContactCenterRecord } from '@cxp/platform-records';
import type { StreamedRecord } from '@cxp/record-intake';
import { conversationKey, type OutboxChange } from './outbox.repository';

type ChangeRecord = StreamedRecord<ContactCenterRecord>;

/**
 * The records of area B that tell of these changes: each message, activity and rating once, each conversation once, after the
 * last of them, as it is by then.
 */
export function changeRecords(changes: readonly OutboxChange[]): ChangeRecord[] {
  const lastOfConversation = new Map(changes.map((change) => [conversationKey(change), change]));
  return changes.flatMap((change) => [
    ...messageRecord(change),
    ...activityRecord(change),
    ...surveyRecord(change),
    ...(lastOfConversation.get(conversationKey(change)) === change ? conversationRecord(change) : []),
  ]);
}

function messageRecord({ organizationId, conversationId, message }: OutboxChange): ChangeRecord[] {
  if (!message) return [];
  const { id, senderType, sentAt } = message;
  return [{ organizationId, type: 'message', data: { id, conversationId, senderType, sentAt } }];
}

function activityRecord({ organizationId, conversationId, activity }: OutboxChange): ChangeRecord[] {
  if (!activity) return [];
  return [{ organizationId, type: 'activity', data: { ...activity, conversationId } }];
}

/** The id is the same however often the rating is sent. */
function surveyRecord({ organizationId, conversationId, rating: answer }: OutboxChange): ChangeRecord[] {
  if (!answer) return [];
  const { request, rating, resolution, feedback, submittedAt } = answer;
  const id = `webchat-${conversationId}-${request}`;
  const data = { id, conversationId, rating, resolution, feedback: feedback ?? '', submittedAt };
  return [{ organizationId, type: 'conversation_survey', data }];
}

function conversationRecord({ organizationId, conversationId, conversation }: OutboxChange): ChangeRecord[] {
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
