import { Injectable } from '@nestjs/common';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { LivePublisher } from '../live/live-publisher';
import type { Activity, NewActivity } from './activity';
import { ActivityRepository } from './activity.repository';

@Injectable()
export class ActivityService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly live: LivePublisher,
  ) {}

  /**
   * Stores an activity and publishes its events to the conversation's sockets.
   * @throws ProblemError when the organization has no such conversation, or the id belongs to another one's activity
   */
  async record(organizationId: string, conversationId: string, given: NewActivity): Promise<Activity> {
    const recorded = await this.activities.record(organizationId, conversationId, given);
    switch (recorded.outcome) {
      case 'stored':
        for (const event of recorded.events) this.live.publishEvent(organizationId, conversationId, event);
        return recorded.activity;
      case 'known':
        return recorded.activity;
      case 'no_conversation':
        throw conversationNotFound(conversationId);
      case 'id_taken':
        rejectAsInvalid({
          loc: ['body', 'id'],
          msg: 'id belongs to an activity of another conversation',
          type: 'value_error',
        });
    }
  }
}
