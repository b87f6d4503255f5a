import type { Removal } from '@cxp/change-feed';
import { ErasedKeys, type Found, keyText, type RecordKey } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { RecordRepository } from './record.repository';
import type { ConversationRecord } from './stored-record';

export const erasedKeys = new ErasedKeys(contactCenterDatabase.schema);

/**
 * Finds records of erased conversations, and erased tickets of any conversation. The caller holds the organization's lock.
 * @returns their data
 */
export async function erasedOf(
  manager: EntityManager,
  organizationId: string,
  records: readonly ConversationRecord[],
): Promise<ReadonlySet<object>> {
  const erased = await erasedKeys.find(manager, organizationId, records.flatMap(keysOf));
  return new Set(
    records
      .filter((record) => keysOf(record).some((key) => erased.has(keyText(key))))
      .map(({ data }) => data),
  );
}

function keysOf({ type, data }: ConversationRecord): RecordKey[] {
  const own = type === 'conversation' || type === 'ticket' ? [{ type, id: String(data.id) }] : [];
  return 'conversationId' in data ? [...own, { type: 'conversation', id: data.conversationId }] : own;
}

export async function eraseConversationRecords(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly found: Found; readonly tickets: readonly RecordKey[] }> {
  const records = new RecordRepository(manager);
  const found = await records.countKinds(organizationId, ids);
  const tickets = await records.ticketsOf(organizationId, ids);
  await records.removeConversations(organizationId, ids);
  return { found, tickets };
}

export async function reasonsOf(
  manager: EntityManager,
  organizationId: string,
  keys: readonly { readonly conversationId: string; readonly ticketId: string }[],
): Promise<(key: { readonly conversationId: string; readonly ticketId: string }) => Removal['reason']> {
  const erased = await erasedKeys.find(manager, organizationId, keys.flatMap(keysOfRow));
  return (key) => (keysOfRow(key).some((each) => erased.has(keyText(each))) ? 'erased' : 'removed');
}

function keysOfRow(key: { readonly conversationId: string; readonly ticketId: string }): RecordKey[] {
  return [
    { type: 'conversation', id: key.conversationId },
    { type: 'ticket', id: key.ticketId },
  ];
}
