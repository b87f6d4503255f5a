import type { Removal } from '@cxp/change-feed';
import {
  type Erased,
  ErasedKeys,
  type ErasureMode,
  keyText,
  PLATFORM_ERASURE,
  type RecordKey,
} from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { countKinds, RecordRepository } from './record.repository';
import { type ConversationRecord, PERSONAL_TYPES } from './stored-record';

/** What one step erases: a conversation has ten thousand records at most. */
export const CONVERSATIONS_PER_STEP = 10;

export const erasedKeys = new ErasedKeys(contactCenterDatabase.schema);

/** The records of a transaction that must not bring back what was erased. It has to be used under the organization's lock. */
export class ErasedRecords {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /**
   * How records are erased, by their data: because of their own key, or because they belong to an erased conversation. An anonymized one is
   * stored without data of a person.
   */
  async modesOf(records: readonly ConversationRecord[]): Promise<ReadonlyMap<object, ErasureMode>> {
    const modes = new Map<object, ErasureMode>();
    const found = await this.find(records.flatMap((record) => keysOf(record)));
    for (const record of records) {
      const [own, parent] = keysOf(record).map((key) => found.get(keyText(key)));
      const mode = own === 'delete' || parent === 'delete' ? 'delete' : (own ?? parent);
      if (mode) modes.set(record.data, mode);
    }
    return modes;
  }

  /** Keeps records as erased that have taken effect: they stay so when they move to another conversation. */
  async keep(
    records: readonly { readonly record: ConversationRecord; readonly mode: ErasureMode | undefined }[],
  ): Promise<void> {
    for (const mode of ['delete', 'anonymize'] as const) {
      const keys = records
        .filter(
          (each) => each.mode === mode && (mode === 'delete' || PERSONAL_TYPES.includes(each.record.type)),
        )
        .map(({ record: { type, data } }) => ({ type, id: String(data.id) }));
      const known = await this.find(keys);
      // What is kept already stays that of its erasure.
      await this.addAs(
        mode,
        keys.filter((key) => known.get(keyText(key)) !== mode),
      );
    }
  }

  /** Keeps the keys of what the platform has erased. */
  async add(keys: readonly RecordKey[]): Promise<void> {
    await this.addAs('delete', keys);
  }

  private async addAs(mode: ErasureMode, keys: readonly RecordKey[]): Promise<void> {
    const erasure = { organizationId: this.organizationId, id: PLATFORM_ERASURE, mode };
    await erasedKeys.add(this.manager, erasure, keys);
  }

  private async find(keys: readonly RecordKey[]): Promise<Map<string, ErasureMode>> {
    return erasedKeys.find(this.manager, this.organizationId, keys);
  }
}

/** The key of a record, and that of its conversation. */
function keysOf({ type, data }: ConversationRecord): RecordKey[] {
  const own = { type, id: String(data.id) };
  return 'conversationId' in data ? [own, { type: 'conversation', id: data.conversationId }] : [own];
}

/** Erases conversations with all that belongs to them. Their rows have to be projected again. */
export async function eraseConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  mode: ErasureMode,
): Promise<Erased> {
  const records = new RecordRepository(manager);
  const all = await records.ofConversations(organizationId, ids);
  const keys = mode === 'delete' ? all : all.filter(({ type }) => PERSONAL_TYPES.includes(type));
  if (mode === 'delete') await records.removeConversations(organizationId, ids);
  else await records.anonymize(organizationId, keys);
  // The keys of conversations that have not arrived are kept, too.
  return { found: countKinds(all), keys: [...keys, ...ids.map((id) => ({ type: 'conversation', id }))] };
}

/** Why rows are removed: their conversation or ticket was erased, or not. */
export async function reasonsOf(
  manager: EntityManager,
  organizationId: string,
  keys: readonly { readonly conversationId: string; readonly ticketId: string }[],
): Promise<(key: { readonly conversationId: string; readonly ticketId: string }) => Removal['reason']> {
  const modes = await erasedKeys.find(manager, organizationId, keys.flatMap(keysOfRow));
  return (key) =>
    keysOfRow(key).some((each) => modes.get(keyText(each)) === 'delete') ? 'erased' : 'removed';
}

function keysOfRow(key: { readonly conversationId: string; readonly ticketId: string }): RecordKey[] {
  return [
    { type: 'conversation', id: key.conversationId },
    { type: 'ticket', id: key.ticketId },
  ];
}
