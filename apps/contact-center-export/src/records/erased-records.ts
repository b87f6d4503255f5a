import type { Removal } from '@cxp/change-feed';
import { ErasedKeys, type ErasureMode, keyText, type RecordKey } from '@cxp/erasure';
import type { ContactCenterRecord, UpsertOf } from '@cxp/platform-records';
import type { EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';

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
   * Leaves out the records that were deleted.
   * @returns those that are left, and how one of them is erased, if it takes effect, by its data: because it was before, or because it belongs
   *   to an erased conversation
   */
  async judge<Record extends Upsert>(
    records: readonly Record[],
  ): Promise<{ kept: readonly Record[]; modeOf: (data: object) => ErasureMode | undefined }> {
    if (!(await this.isAny())) return { kept: records, modeOf: () => undefined };
    const found = await this.modesOf(records.flatMap((record) => keysOf(record)));
    const modes = new Map<object, ErasureMode>();
    const kept: Record[] = [];
    for (const record of records) {
      const [own, parent] = keysOf(record).map((key) => found.get(keyText(key)));
      if (own === 'delete') continue;
      kept.push(record);
      const mode = parent === 'delete' ? parent : (own ?? parent);
      if (mode) modes.set(record.data, mode);
    }
    return { kept, modeOf: (data) => modes.get(data) };
  }

  /** Keeps records as erased that have taken effect: they stay so when they move to another conversation. */
  async keep(type: RecordKey['type'], ids: readonly string[], mode: ErasureMode): Promise<void> {
    const keys = ids.map((id) => ({ type, id }));
    const known = await this.modesOf(keys);
    await this.addAs(
      mode,
      keys.filter((key) => known.get(keyText(key)) !== mode),
    );
  }

  /** Keeps the keys of what the platform has erased. */
  async add(keys: readonly RecordKey[]): Promise<void> {
    await this.addAs('delete', keys);
    this.hasAny = Promise.resolve(true);
  }

  private async addAs(mode: ErasureMode, keys: readonly RecordKey[]): Promise<void> {
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
