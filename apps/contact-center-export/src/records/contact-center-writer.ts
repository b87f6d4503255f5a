import type { PlatformRecord, RecordWriter } from '@cxp/record-intake';
import type { EntityManager } from 'typeorm';
import { Projection } from '../projection/projection';
import { ActivityRepository } from './activity.repository';
import { ConversationSurveyRepository } from './conversation-survey.repository';
import { ConversationRepository } from './conversation.repository';
import { HumanScheduleRepository } from './human-schedule.repository';
import { MessageRepository } from './message.repository';
import type {
  ActivityData,
  ConversationData,
  ConversationSurveyData,
  HumanScheduleData,
  MessageData,
  TicketData,
} from './record-data';
import { TicketRepository } from './ticket.repository';

/** How many conversations wait to be projected at most: what a transaction of any size holds in memory. */
const MOST_WAITING = 2_000;

/**
 * Stores records and projects the conversations that they touch, in one transaction. A conversation waits until many
 * do, or the transaction ends: its records seldom come in one chunk.
 */
export class ContactCenterWriter implements RecordWriter {
  private readonly projection: Projection;
  private readonly touched = new Set<string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {
    this.projection = new Projection(manager, organizationId);
  }

  async write(records: readonly PlatformRecord[]): Promise<readonly []> {
    const ofType = <Data>(wanted: string) =>
      records.filter(({ type }) => type === wanted).map(({ data }) => data as Data);
    const { manager, organizationId } = this;

    await this.store(
      new ConversationRepository(manager, organizationId),
      ofType<ConversationData>('conversation'),
    );
    await this.store(new ActivityRepository(manager, organizationId), ofType<ActivityData>('activity'));
    await this.store(new MessageRepository(manager, organizationId), ofType<MessageData>('message'));
    await this.store(new TicketRepository(manager, organizationId), ofType<TicketData>('ticket'));
    await this.store(
      new ConversationSurveyRepository(manager, organizationId),
      ofType<ConversationSurveyData>('conversation_survey'),
    );
    const schedule = ofType<HumanScheduleData>('human_schedule').at(-1);
    if (schedule) await new HumanScheduleRepository(manager, organizationId).store(schedule);

    if (this.touched.size >= MOST_WAITING) await this.finish();
    return [];
  }

  async finish(): Promise<void> {
    await this.projection.renew([...this.touched]);
    this.touched.clear();
  }

  private async store<Data>(
    repository: { store(data: readonly Data[]): Promise<string[]> },
    data: readonly Data[],
  ): Promise<void> {
    if (data.length === 0) return;
    for (const conversationId of await repository.store(data)) this.touched.add(conversationId);
  }
}
