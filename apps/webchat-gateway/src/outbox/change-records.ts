import type { ContactCenterRecord } from '@cxp/platform-records';
import type { StreamedRecord } from '@cxp/record-intake';
import { conversationKey, type OutboxChange } from './outbox.repository';

/**
 * The records of area B that tell of these changes: each message, activity and rating once, each conversation once, after the
 * last of them, as it is by then.
 */
export function changeRecords(changes: readonly OutboxChange[]): StreamedRecord<ContactCenterRecord>[] {
  const lastOfConversation = new Map(changes.map((change) => [conversationKey(change), change]));
  return changes.flatMap((change) => {
    const { organizationId, message, activity, survey, conversation, isErased } = change;
    const records: ContactCenterRecord[] = [];
    if (message) records.push({ type: 'message', data: message });
    if (activity) records.push({ type: 'activity', data: activity });
    if (survey) records.push({ type: 'conversation_survey', data: survey });
    if (conversation && lastOfConversation.get(conversationKey(change)) === change) {
      records.push({ type: 'conversation', data: conversation });
    }
    if (isErased) records.push(removalOf(change.conversationId));
    return records.map((record) => ({ organizationId, ...record }));
  });
}

/** Area B removes the conversation, and ignores what it is told of it later. */
function removalOf(id: string): ContactCenterRecord {
  return { type: 'conversation', op: 'delete', reason: 'erased', data: { id } };
}
