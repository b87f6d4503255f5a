import type { Removal } from '@cxp/change-feed';
import { ErasedKeys, type ErasureMode, keyText, type RecordKey } from '@cxp/erasure';
import type { ContactCenterRecord, UpsertOf } from '@cxp/platform-records';
import type { EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { RECORD_TABLES } from './record-tables';

export const erasedKeys = new ErasedKeys(contactCenterDatabase.schema);

/** What is kept as erased without an erasure of this area: the platform told of it. */
const TOLD_ERASURE = '00000000-0000-0000-0000-000000000000';

type Upsert = UpsertOf<ContactCenterRecord>;

/** The records of a transaction that must not bring back what was erased. It has to be used under the organization's intake turn. */
export class ErasedRecords {
  private hasAny: Promise<boolean> | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /**
   * Leaves out the records that were deleted, or belong to a deleted conversation. What belongs to an erased conversation is kept as erased
   * itself: it stays so when it moves to another one.
   * @returns those that are left, and whether one of them is stored without personal data
   */
  async judge<Record extends Upsert>(
    records: readonly Record[],
  ): Promise<{ kept: readonly Record[]; isAnonymized: (record: RecordKey) => boolean }> {
    if (!(await this.isAny())) return { kept: records, isAnonymized: () => false };
    const modes = await this.modesOf(records.flatMap((record) => keysOf(record)));
    const modeOf = (record: Record): ErasureMode | undefined => {
      const own = keysOf(record).map((key) => modes.get(keyText(key)));
      return own.find((mode) => mode === 'delete') ?? own.find((mode) => mode !== undefined);
    };
    const anonymized = new Set<string>();
    const kept: Record[] = [];
    const unknown = { delete: [] as RecordKey[], anonymize: [] as RecordKey[] };
    for (const record of records) {
      const mode = modeOf(record);
      if (mode !== 'delete') kept.push(record);
      const [key] = keysOf(record);
      if (!mode || !key) continue;
      if (mode === 'anonymize') anonymized.add(keyText(key));
      const isErased =
        mode === 'delete' || RECORD_TABLES[key.type as keyof typeof RECORD_TABLES].isPersonal !== '';
      if (isErased && !modes.has(keyText(key))) unknown[mode].push(key);
    }
    await this.keep(unknown.delete, 'delete');
    await this.keep(unknown.anonymize, 'anonymize');
    return { kept, isAnonymized: (key) => anonymized.has(keyText(key)) };
  }

  /** Keeps the keys of what the platform has erased. */
  async add(keys: readonly RecordKey[]): Promise<void> {
    await this.keep(keys, 'delete');
    this.hasAny = Promise.resolve(true);
  }

  private async keep(keys: readonly RecordKey[], mode: ErasureMode): Promise<void> {
    const erasure = { organizationId: this.organizationId, id: TOLD_ERASURE, mode };
    await erasedKeys.add(this.manager, erasure, keys);
  }

  private isAny(): Promise<boolean> {
    return (this.hasAny ??= erasedKeys.hasAny(this.manager, this.organizationId));
  }

  private async modesOf(keys: readonly RecordKey[]): Promise<Map<string, ErasureMode>> {
    return erasedKeys.find(this.manager, this.organizationId, keys);
  }
}

/** The key of a record, and that of its conversation; none of a schedule. */
function keysOf({ type, data }: Upsert): RecordKey[] {
  if (!('id' in data)) return [];
  const own = { type, id: String(data.id) };
  return 'conversationId' in data ? [own, { type: 'conversation', id: data.conversationId }] : [own];
}

/** Why rows are removed: their conversation or ticket was erased, or not. */
export async function reasonsOf(
  manager: EntityManager,
  organizationId: string,
  keys: readonly { readonly conversationId: string; readonly ticketId: string }[],
): Promise<(key: { readonly conversationId: string; readonly ticketId: string }) => Removal['reason']> {
  if (keys.length === 0 || !(await erasedKeys.hasAny(manager, organizationId))) return () => 'removed';
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
