import { ChangeRepository } from '@cxp/change-feed';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import {
  ofType,
  type ContactCenterRecord,
  type HumanScheduleData,
  type RemovalOf,
  type UpsertOf,
} from '@cxp/platform-records';
import type { OnLine, RecordWriter } from '@cxp/record-intake';
import type { EntityManager } from 'typeorm';
import { HumanScheduleRepository, type ScheduleInterval } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { Projection, RepeatedTextError } from '../projection/projection';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { RecordRemovalRepository } from '../records/record-removal.repository';
import type { Stored } from '../records/record-table';
import { RECORD_TABLES } from '../records/record-tables';
import { ConversationLimits, tooLarge } from './conversation-limits';
import { TouchedConversations } from './touched-conversations';

type Upsert = UpsertOf<ContactCenterRecord>;

/**
 * Stores records and, at the end of the transaction, projects the conversations that they touched: their changes are numbered in the
 * last statements.
 */
export class ContactCenterWriter implements RecordWriter<ContactCenterRecord> {
  private readonly limits: ConversationLimits;
  private readonly touched: TouchedConversations;
  private schedule: HumanScheduleData | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    maxTouchedInMemory?: number,
  ) {
    this.touched = new TouchedConversations(manager, organizationId, maxTouchedInMemory);
    this.limits = new ConversationLimits(new ConversationRecordsReadModel(manager), organizationId);
  }

  async write(records: readonly OnLine<Upsert>[]): Promise<readonly []> {
    await this.store(RECORD_TABLES.conversation, ofType(records, 'conversation'));
    await this.store(RECORD_TABLES.activity, ofType(records, 'activity'));
    await this.store(RECORD_TABLES.message, ofType(records, 'message'));
    await this.store(RECORD_TABLES.ticket, ofType(records, 'ticket'));
    await this.store(RECORD_TABLES.conversation_survey, ofType(records, 'conversation_survey'));
    this.schedule = ofType(records, 'human_schedule').at(-1)?.data ?? this.schedule;
    if (this.limits.isFull) await this.checkLimits();
    await this.touched.makeRoom();
    return [];
  }

  async remove(records: readonly OnLine<RemovalOf<ContactCenterRecord>>[]): Promise<void> {
    const { manager, organizationId } = this;
    const touched = await new RecordRemovalRepository(manager).remove(organizationId, records);
    this.touched.add(touched, records.at(-1)!.line);
  }

  /** @throws ProblemError 422 if a conversation has more than it may have */
  async finish(): Promise<void> {
    await this.checkLimits();
    await this.project();
    await this.touched.clear();
    if (this.schedule) await this.storeSchedule(this.schedule);
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

  /** A 422 for rows that are too large names the line that touched their conversation. */
  private async project(): Promise<void> {
    try {
      await new Projection(this.manager).renew(this.organizationId, () => this.touched.batches());
    } catch (error) {
      if (!(error instanceof RepeatedTextError)) throw error;
      rejectAsInvalid(tooLarge(await this.touched.lineOf(error.conversationId), 'id'));
    }
  }

  private async checkLimits(): Promise<void> {
    const problems = await this.limits.check();
    if (problems.length > 0) rejectAsInvalid(...problems);
  }

  private async store<Data extends { readonly id: string | number }>(
    table: { store(manager: EntityManager, organizationId: string, data: readonly Data[]): Promise<Stored> },
    records: readonly OnLine<{ readonly data: Data }>[],
  ): Promise<void> {
    if (records.length === 0) return;
    const { touched, growth } = await table.store(
      this.manager,
      this.organizationId,
      records.map(({ data }) => data),
    );
    this.touched.add(touched, records.at(-1)!.line);
    if (growth.length === 0) return;
    const lines = new Map(records.map(({ data, line }) => [String(data.id), line]));
    for (const each of growth) this.limits.note(lines.get(each.id)!, each);
  }
}

function knownFields({ start, end }: ScheduleInterval): ScheduleInterval {
  return { start, end };
}
