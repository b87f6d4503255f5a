import { type Erased, type ErasureMode, type Found, type RecordKey } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import { ConversationRecordsReadModel } from './conversation-records.read-model';
import { RecordRemovalRepository } from './record-removal.repository';
import { RECORD_TABLES } from './record-tables';

type RecordType = keyof typeof RECORD_TABLES;

const TABLES = Object.entries(RECORD_TABLES) as [RecordType, (typeof RECORD_TABLES)[RecordType]][];

/** The kinds of records as certificates name them. */
const KINDS: Readonly<Record<RecordType, string>> = {
  conversation: 'conversations',
  activity: 'activities',
  message: 'messages',
  ticket: 'tickets',
  conversation_survey: 'conversationSurveys',
};

export const FOUND_KINDS = Object.values(KINDS);

/** Records that are erased at once, about: a conversation has some thousands at most. */
const MAX_RECORDS_AT_ONCE = 20_000;

/** Conversations that are weighed at once. */
const WEIGHED_AT_ONCE = 500;

/** Erases conversations with all that belongs to them. Their rows have to be projected again. */
export class ConversationErasure {
  constructor(private readonly manager: EntityManager) {}

  /** The first of some conversations, as many as are erased at once. */
  async first(organizationId: string, ids: readonly string[]): Promise<readonly string[]> {
    const weighed = ids.slice(0, WEIGHED_AT_ONCE);
    const weights = await new ConversationRecordsReadModel(this.manager).weights(organizationId, weighed);
    let records = 0;
    const tooMany = weighed.findIndex((id, place) => {
      records += 1 + (weights.get(id)?.records ?? 0);
      return place > 0 && records > MAX_RECORDS_AT_ONCE;
    });
    return tooMany < 0 ? weighed : weighed.slice(0, tooMany);
  }

  /** All of them, as many at a time as are erased at once. */
  async *batches(organizationId: string, ids: readonly string[]): AsyncGenerator<readonly string[]> {
    for (let left = ids; left.length > 0;) {
      const batch = await this.first(organizationId, left);
      yield batch;
      left = left.slice(batch.length);
    }
  }

  async erase(organizationId: string, ids: readonly string[], mode: ErasureMode): Promise<Erased> {
    const found: Record<string, number> = {};
    const keys: RecordKey[] = [];
    for (const [type, table] of TABLES) {
      const records = await table.idsOf(this.manager, organizationId, ids);
      found[KINDS[type]] = records.length;
      if (mode === 'anonymize' && table.isPersonal === '') continue;
      if (mode === 'anonymize') await table.anonymize(this.manager, organizationId, records);
      keys.push(...records.map((id) => ({ type, id })));
    }
    if (mode === 'delete') {
      await new RecordRemovalRepository(this.manager).removeConversations(organizationId, ids);
    }
    // Of one that has not arrived, too.
    keys.push(...ids.map((id) => ({ type: 'conversation', id })));
    return { found, keys };
  }
}

/** How many records of each kind, by their types. */
export function foundOf(counts: Readonly<Record<RecordType, number>>): Found {
  return Object.fromEntries(TABLES.map(([type]) => [KINDS[type], counts[type]]));
}
