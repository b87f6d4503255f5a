import { type Erased, type ErasureMode } from '@cxp/erasure';
import type { EntityManager } from 'typeorm';
import { ConversationRecordsReadModel } from './conversation-records.read-model';
import { countKinds, RecordRepository } from './record.repository';
import { PERSONAL_TYPES } from './stored-record';

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
    const recordsOf = new Map(weights.map(({ id, records }) => [id, records]));
    let records = 0;
    const tooMany = weighed.findIndex((id, place) => {
      records += 1 + recordsOf.get(id)!;
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
    const records = new RecordRepository(this.manager);
    const all = await records.ofConversations(organizationId, ids);
    const keys = mode === 'delete' ? all : all.filter(({ type }) => PERSONAL_TYPES.includes(type));
    if (mode === 'delete') await records.removeConversations(organizationId, ids);
    else await records.anonymize(organizationId, keys);
    // The keys of conversations that have not arrived are kept, too.
    return { found: countKinds(all), keys: [...keys, ...ids.map((id) => ({ type: 'conversation', id }))] };
  }
}
