import { ChangeRepository } from '@cxp/change-feed';
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
import { Projection } from '../projection/projection';
import { ActivityRepository } from '../records/activity.repository';
import { ConversationSurveyRepository } from '../records/conversation-survey.repository';
import { ConversationRepository } from '../records/conversation.repository';
import { MessageRepository } from '../records/message.repository';
import { RecordRemovalRepository } from '../records/record-removal.repository';
import { TicketRepository } from '../records/ticket.repository';

type Upsert = UpsertOf<ContactCenterRecord>;

/** Conversations that wait for their projection: the ids that a transaction of any size holds in memory. */
const MAX_WAITING = 50_000;

/**
 * Stores records and projects the conversations that they touch, in one transaction. A conversation waits until many
 * do, or the transaction ends: its records seldom come in one chunk.
 */
export class ContactCenterWriter implements RecordWriter<ContactCenterRecord> {
  private readonly projection: Projection;
  private readonly touched = new Set<string>();
  private schedule: HumanScheduleData | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {
    this.projection = new Projection(manager);
  }

  async write(records: readonly OnLine<Upsert>[]): Promise<readonly []> {
    const { manager } = this;
    await this.store(new ConversationRepository(manager), dataOf(records, 'conversation'));
    await this.store(new ActivityRepository(manager), dataOf(records, 'activity'));
    await this.store(new MessageRepository(manager), dataOf(records, 'message'));
    await this.store(new TicketRepository(manager), dataOf(records, 'ticket'));
    await this.store(new ConversationSurveyRepository(manager), dataOf(records, 'conversation_survey'));
    this.schedule = dataOf(records, 'human_schedule').at(-1) ?? this.schedule;
    if (this.touched.size >= MAX_WAITING) {
      await this.projection.renewEarly(this.organizationId, [...this.touched]);
      this.touched.clear();
    }
    return [];
  }

  async remove(records: readonly OnLine<RemovalOf<ContactCenterRecord>>[]): Promise<void> {
    const { manager, organizationId } = this;
    const touched = await new RecordRemovalRepository(manager).remove(organizationId, records);
    for (const id of touched) this.touched.add(id);
  }

  async finish(): Promise<void> {
    await this.projection.renew(this.organizationId, [...this.touched]);
    this.touched.clear();
    if (this.schedule) await this.storeSchedule(this.schedule);
  }

  /** A different schedule changes the business hours of rows that do not change otherwise. */
  private async storeSchedule({ weekly, exceptions }: HumanScheduleData): Promise<void> {
    const changes = new ChangeRepository(this.manager, contactCenterDatabase.schema);
    await changes.numberLater();
    const isDifferent = await new HumanScheduleRepository(this.manager).store(this.organizationId, {
      weekly: weekly.map(({ weekday, ...interval }) => ({ weekday, ...knownFields(interval) })),
      exceptions: (exceptions ?? []).map(({ date, intervals }) => ({
        date,
        intervals: intervals.map(knownFields),
      })),
    });
    if (isDifferent) await changes.addResync(this.organizationId, 'human_schedule');
  }

  private async store<Data>(
    repository: { store(organizationId: string, data: readonly Data[]): Promise<string[]> },
    data: readonly Data[],
  ): Promise<void> {
    if (data.length === 0) return;
    for (const id of await repository.store(this.organizationId, data)) this.touched.add(id);
  }
}

function dataOf<Type extends Upsert['type']>(records: readonly OnLine<Upsert>[], type: Type) {
  return ofType(records, type).map(({ data }) => data as Extract<Upsert, { readonly type: Type }>['data']);
}

function knownFields({ start, end }: ScheduleInterval): ScheduleInterval {
  return { start, end };
}
