import { ChangeRepository } from '@cxp/change-feed';
import { type ErasureMode, expiryOf } from '@cxp/erasure';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import {
  ofType,
  type ContactCenterRecord,
  type HumanScheduleData,
  type RemovalOf,
  type UpsertOf,
} from '@cxp/platform-records';
import { runsOf, type OnLine } from '@cxp/record-intake';
import type { EntityManager } from 'typeorm';
import { HumanScheduleRepository, type ScheduleInterval } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { AwaitedConversationRepository } from '../records/awaited-conversation.repository';
import { ConversationErasure } from '../records/conversation-erasure';
import { ErasedRecords } from '../records/erased-records';
import { Projection, RepeatedTextError } from '../projection/projection';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { RecordRemovalRepository } from '../records/record-removal.repository';
import type { Stored, Touched } from '../records/record-table';
import { SESSION_ACTIONS } from '../derivation/actions';
import { RECORD_TABLES } from '../records/record-tables';
import { ConversationLimits, tooLarge } from './conversation-limits';

type Upsert = UpsertOf<ContactCenterRecord>;

/**
 * Stores records and, at the end of the transaction, projects the conversations that they touched: their changes are numbered in the
 * last statements.
 */
export class ContactCenterWriter {
  private readonly limits: ConversationLimits;
  /** Conversations whose rows can have changed, each with the line of a record that touched it. */
  private readonly touched = new Map<string, number>();
  private readonly erased: ErasedRecords;
  private readonly awaited: AwaitedConversationRepository;
  /** Conversations that were last updated before it have expired. */
  private readonly expiry: number | undefined;
  private schedule: HumanScheduleData | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    keptDays?: number,
  ) {
    this.erased = new ErasedRecords(manager, organizationId);
    this.awaited = new AwaitedConversationRepository(manager);
    this.expiry = keptDays === undefined ? undefined : expiryOf(keptDays).getTime();
    this.limits = new ConversationLimits(new ConversationRecordsReadModel(manager), organizationId);
  }

  /** @throws ProblemError 422 if a conversation has more than it may have */
  async store(records: readonly OnLine<ContactCenterRecord>[]): Promise<void> {
    for (const run of runsOf(records)) {
      if (run.op === 'upsert') await this.upsert(run.records);
      else await this.remove(run.records);
    }
    await this.checkLimits();
    await this.project();
    if (this.schedule) await this.storeSchedule(this.schedule);
  }

  private async upsert(records: readonly OnLine<Upsert>[]): Promise<void> {
    const current = records.filter((record) => !this.hasExpired(record));
    const { kept, modeOf } = await this.erased.judge(current);
    for (const type of STORED_TYPES) await this.storeType(type, kept, modeOf);
    this.schedule = ofType(records, 'human_schedule').at(-1)?.data ?? this.schedule;
    if (this.limits.isFull) await this.checkLimits();
  }

  private async remove(records: readonly OnLine<RemovalOf<ContactCenterRecord>>[]): Promise<void> {
    const { manager, organizationId } = this;
    const erased = records.filter(({ reason }) => reason === 'erased').map(({ data }) => String(data.id));
    for await (const ids of new ConversationErasure(manager).batches(organizationId, erased)) {
      const { keys } = await new ConversationErasure(manager).erase(organizationId, ids, 'delete');
      await this.erased.add(keys);
    }
    const touched = await new RecordRemovalRepository(manager).remove(organizationId, records);
    for (const [id, line] of touched) this.touched.set(id, line);
  }

  /** A different schedule changes the business hours of rows that do not change otherwise. */
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

  /** A 422 for rows that are too large names a line that touched their conversation. */
  private async project(): Promise<void> {
    try {
      await new Projection(this.manager).renew(this.organizationId, [...this.touched.keys()]);
    } catch (error) {
      if (!(error instanceof RepeatedTextError)) throw error;
      const { conversationId } = error;
      rejectAsInvalid(tooLarge(conversationId, this.touched.get(conversationId)!, 'id'));
    }
  }

  private async checkLimits(): Promise<void> {
    const { problems, awaited } = await this.limits.check();
    if (problems.length > 0) throw new ProblemError({ code: 'invalid', items: problems });
    await this.awaited.add(this.organizationId, awaited);
  }

  /** An expired conversation is ignored; what belongs to it awaits it, and expires by itself. */
  private hasExpired({ type, data }: Upsert): boolean {
    return type === 'conversation' && this.expiry !== undefined && Date.parse(data.updatedAt) < this.expiry;
  }

  private async storeType(
    type: StoredType,
    all: readonly OnLine<Upsert>[],
    modeOf: (data: object) => ErasureMode | undefined,
  ): Promise<void> {
    const ofType = all.filter((record): record is OnLine<StoredRecord> => record.type === type);
    if (ofType.length === 0) return;
    const table = RECORD_TABLES[type] as unknown as StoringTable;
    const last = new Map(ofType.map((record) => [String(record.data.id), record]));
    const unkept = [...last].filter(([, record]) => !isKept(record)).map(([id]) => id);
    for (const { conversationId, id } of await table.delete(this.manager, this.organizationId, unkept)) {
      this.touched.set(conversationId, last.get(id)!.line);
    }
    const records = ofType.filter((record) => isKept(record) && isKept(last.get(String(record.data.id))!));
    if (records.length === 0) return;
    const { touched, growth, erased } = await table.store(
      this.manager,
      this.organizationId,
      records.map(({ data }) => data),
      modeOf,
    );
    for (const mode of ERASURE_MODES) await this.erased.keep(type, erased[mode], mode);
    const lines = new Map(records.map(({ data, line }) => [String(data.id), line]));
    for (const { conversationId, id } of touched) this.touched.set(conversationId, lines.get(id)!);
    if (type === 'conversation') {
      const arrived = touched.map(({ id }) => id);
      await this.awaited.delete(this.organizationId, arrived);
    }
    for (const each of growth) this.limits.note(lines.get(each.id)!, each);
  }
}

type StoredType = keyof typeof RECORD_TABLES;

type StoredRecord = Extract<Upsert, { readonly type: StoredType }>;

const STORED_TYPES = Object.keys(RECORD_TABLES) as StoredType[];

const ERASURE_MODES: readonly ErasureMode[] = ['delete', 'anonymize'];

/** A table, of whichever type of record. */
interface StoringTable {
  store(
    manager: EntityManager,
    organizationId: string,
    data: readonly object[],
    modeOf: (data: object) => ErasureMode | undefined,
  ): Promise<Stored>;
  delete(manager: EntityManager, organizationId: string, ids: readonly string[]): Promise<readonly Touched[]>;
}

/** Whether rows show a record, or depend on it. Others are accepted and not kept; one that takes the key of a kept one removes it. */
function isKept({ type, data }: StoredRecord): boolean {
  if (type === 'activity') return KEPT_ACTIONS.has(data.action);
  return type !== 'message' || data.senderType === 'agent';
}

const KEPT_ACTIONS: ReadonlySet<string> = new Set(SESSION_ACTIONS);

function knownFields({ start, end }: ScheduleInterval): ScheduleInterval {
  return { start, end };
}
