import { ChangeRepository } from '@cxp/change-feed';
import { keyText } from '@cxp/erasure';
import { type InvalidItem, ProblemError } from '@cxp/error-envelopes';
import {
  type ContactCenterRecord,
  contactCenterRecordTypes,
  expiryOf,
  type HumanScheduleData,
  instantOf,
  ofType,
  type OnLine,
  type RecordStore,
  recordLoc,
  type RemovalOf,
  runsOf,
  type UpsertOf,
  utcTime,
} from '@cxp/records';
import { withPauses } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { HumanScheduleRepository, type ScheduleInterval } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { type ConversationSize, isTooLarge, Projection, TooLargeError } from './projection';
import { eraseConversationRecords, erasedKeys, erasedOf } from './erased-records';
import { type FoundRecord, RecordRepository } from './record.repository';
import {
  type ConversationRecord,
  IS_VERSIONED,
  isKept,
  type StoredRecord,
  storedRecord,
  timeOf,
} from './stored-record';

/** @param keptDays older conversations are ignored */
export function contactCenterRecordStore(keptDays?: number): RecordStore<ContactCenterRecord> {
  return {
    name: contactCenterDatabase.name,
    types: contactCenterRecordTypes,
    store: (manager, organizationId, records) =>
      new ContactCenterWriter(manager, organizationId, keptDays).store(records),
  };
}

export const contactCenterRecords = contactCenterRecordStore();

type Upsert = OnLine<UpsertOf<ContactCenterRecord>>;
type Removal = OnLine<RemovalOf<ContactCenterRecord>>;

interface Touch {
  readonly line: number;
  readonly field: 'id' | 'conversationId';
  readonly bytes: number;
}

/**
 * Stores records and, at the end of the transaction, projects the conversations that they touched, so that the last statements
 * number the changes.
 */
class ContactCenterWriter {
  private readonly records: RecordRepository;
  private readonly touched = new Map<string, Touch[]>();
  /** Conversations that were last updated before it have expired. */
  private readonly expiry: number | undefined;
  private schedule: HumanScheduleData | undefined;
  private readonly erased: string[] = [];

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    keptDays?: number,
  ) {
    this.records = new RecordRepository(manager);
    this.expiry = keptDays === undefined ? undefined : expiryOf(keptDays).getTime();
  }

  /** @throws ProblemError 422 if a conversation has more than it may have */
  async store(records: readonly OnLine<ContactCenterRecord>[]): Promise<void> {
    for (const run of runsOf(records)) {
      if (run.op === 'upsert') await this.upsert(run.records);
      else await this.remove(run.records);
    }
    await this.project();
    if (this.schedule) await this.storeSchedule(this.schedule);
  }

  private async upsert(all: readonly Upsert[]): Promise<void> {
    const { organizationId } = this;
    this.schedule = ofType(all, 'human_schedule').at(-1)?.data ?? this.schedule;
    const records = all.filter(
      (record) => record.type !== 'human_schedule' && !this.hasExpired(record),
    ) as OnLine<ConversationRecord>[];
    const found = await this.records.find(organizationId, records.map(toKey));
    const previous = new Map(found.map((each) => [keyText(each), each]));
    const erased = await erasedOf(this.manager, organizationId, records);
    const { gone, latest } = await outcomeOf(records, previous, erased);
    await this.removeStored(gone.filter((record) => previous.has(keyOf(record))));
    // A ticket stays erased when it moves to another conversation.
    await erasedKeys.add(
      this.manager,
      organizationId,
      gone.filter(({ type }) => type === 'ticket').map(toKey),
    );

    const stored = new Map<string, { record: OnLine<ConversationRecord>; one: StoredRecord }>();
    for await (const record of withPauses(latest)) {
      stored.set(keyOf(record), { record, one: storedRecord(record) });
    }
    const storedRecords = [...stored.values()].map(({ one }) => one);
    for (const key of await this.records.store(organizationId, storedRecords)) {
      const { record, one } = stored.get(keyText(key))!;
      this.touch(one.conversationId, record, Buffer.byteLength(one.data));
      const parent = previous.get(keyText(key))?.conversationId ?? one.conversationId;
      if (parent !== one.conversationId) this.touch(parent, record);
    }
  }

  private async removeStored(records: readonly (OnLine<ConversationRecord> | Removal)[]): Promise<void> {
    const byKey = new Map(records.map((record) => [keyOf(record), record]));
    for (const found of await this.records.remove(this.organizationId, [...byKey.values()].map(toKey))) {
      if (found.conversationId !== null) this.touch(found.conversationId, byKey.get(keyText(found))!);
    }
  }

  private async remove(removals: readonly Removal[]): Promise<void> {
    const { manager, organizationId, records } = this;
    const erased = removals.filter(({ reason }) => reason === 'erased').map(({ data }) => String(data.id));
    if (erased.length > 0) {
      const { tickets } = await eraseConversationRecords(manager, organizationId, erased);
      const keys = erased.map((id) => ({ type: 'conversation', id }));
      await erasedKeys.add(manager, organizationId, [...keys, ...tickets]);
      this.erased.push(...erased);
    }
    const conversations = ofType(removals, 'conversation');
    await records.removeConversations(
      organizationId,
      conversations.map(({ data }) => data.id),
    );
    for (const removal of conversations) this.touch(removal.data.id, removal);
    await this.removeStored(removals);
    const versions = removals.filter(({ type, data }) => IS_VERSIONED[type] && data.updatedAt);
    await records.keepRemovals(
      organizationId,
      versions.map((removal) => ({ ...toKey(removal), version: utcTime(removal.data.updatedAt!) })),
    );
  }

  private touch(conversationId: string, { line, data }: OnLine<ContactCenterRecord>, bytes = 0): void {
    const touch = { line, field: 'conversationId' in data ? 'conversationId' : 'id', bytes } as const;
    const touches = this.touched.get(conversationId);
    if (touches) touches.push(touch);
    else this.touched.set(conversationId, [touch]);
  }

  private async project(): Promise<void> {
    try {
      const all = [...this.touched.keys()];
      const added = all.filter((id) => this.touched.get(id)!.some(({ bytes }) => bytes > 0));
      const projection = new Projection(this.manager);
      await projection.renew(this.organizationId, all, undefined, new Set(added));
      await projection.removeAgain(this.organizationId, this.erased, 'erased');
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      const items = error.sizes.flatMap((size) => this.problemsOf(size, error.limit));
      throw new ProblemError({ code: 'invalid', items });
    }
  }

  /** Reports the last lines of a conversation, as many as have to be left out. */
  private problemsOf({ id, records, bytes }: ConversationSize, limit: string): InvalidItem[] {
    const all = this.touched.get(id)!;
    const parts = all.filter(({ bytes: added }) => added > 0);
    const lines = (parts.length > 0 ? parts : all).sort((a, b) => a.line - b.line);
    let [size, first] = [{ records, bytes }, lines.length];
    do {
      first -= 1;
      size = { records: size.records - 1, bytes: size.bytes - lines[first]!.bytes };
    } while (first > 0 && isTooLarge(size));
    return lines.slice(first).map(({ line, field }) => ({
      loc: recordLoc(line, 'data', field),
      msg: `conversation ${id} must have ${limit}`,
      type: 'too_large',
    }));
  }

  /** A new schedule changes business hours of rows that do not change otherwise. */
  private async storeSchedule({ weekly, exceptions }: HumanScheduleData): Promise<void> {
    const changes = new ChangeRepository(this.manager, contactCenterDatabase.schema);
    const isDifferent = await new HumanScheduleRepository(this.manager).store(this.organizationId, {
      weekly: weekly.map(({ weekday, ...interval }) => ({ weekday, ...knownFields(interval) })),
      exceptions: (exceptions ?? []).map(({ date, intervals }) => ({
        date,
        intervals: intervals.map(knownFields),
      })),
    });
    if (isDifferent) await changes.addResync(this.organizationId, 'human_schedule');
  }

  /** An expired conversation is ignored; records that belong to it expire by themselves. */
  private hasExpired({ type, data }: Upsert): boolean {
    return type === 'conversation' && this.expiry !== undefined && instantOf(data.updatedAt) < this.expiry;
  }
}

/**
 * Records that are not kept, or are erased, remove what is stored under their keys: a later record of such a key counts as its
 * first arrival.
 * @param found what is stored under their keys
 * @param erased data of erased records
 * @returns `gone`: records whose keys have to be removed first; `latest`: what to store then, by first arrival
 */
async function outcomeOf(
  records: readonly OnLine<ConversationRecord>[],
  found: ReadonlyMap<string, FoundRecord>,
  erased: ReadonlySet<object>,
) {
  const [gone, latest] = [
    new Map<string, (typeof records)[number]>(),
    new Map<string, (typeof records)[number]>(),
  ];
  const versions = new Map([...found].map(([key, { version }]) => [key, version ?? '']));
  const erasedTickets = new Set<string>();
  for await (const record of withPauses(records)) {
    const key = keyOf(record);
    const version = IS_VERSIONED[record.type] ? utcTime(timeOf(record)) : null;
    if (erasedTickets.has(key) || (version !== null && version < (versions.get(key) ?? ''))) continue;
    const isErased = erased.has(record.data);
    if (isKept(record) && !isErased) {
      latest.set(key, record);
      if (version !== null) versions.set(key, version);
      continue;
    }
    gone.set(key, record);
    latest.delete(key);
    versions.set(key, found.get(key)?.removedVersion ?? '');
    if (isErased && record.type === 'ticket') erasedTickets.add(key);
  }
  return { gone: [...gone.values()], latest: [...latest.values()] };
}

function toKey({ type, data }: { readonly type: string; readonly data: { readonly id: string | number } }) {
  return { type, id: String(data.id) };
}

function keyOf(record: Parameters<typeof toKey>[0]): string {
  return keyText(toKey(record));
}

function knownFields({ start, end }: ScheduleInterval): ScheduleInterval {
  return { start, end };
}
