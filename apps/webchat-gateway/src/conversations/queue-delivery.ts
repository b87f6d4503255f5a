/**
 * SQL that queues conversations for their delivery to area B, in the order in which the sender locks them.
 * @param from SQL of the tables that have `organization_id`, and the condition
 * @param conversationId SQL
 * @param before SQL: the number of the last event that area B has if nothing of the conversation is queued
 */
export function queueDelivery(from: string, conversationId: string, before: string): string {
  return `INSERT INTO webchat.undelivered (organization_id, conversation_id, delivered_event)
    SELECT organization_id, ${conversationId}, ${before} FROM ${from} ORDER BY 2
    ON CONFLICT (organization_id, conversation_id) DO UPDATE SET revision = undelivered.revision + 1`;
}
