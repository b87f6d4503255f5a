import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { SessionsModule } from '../sessions/sessions.module';
import { EventHistory } from './event-history';
import { EventHistoryController } from './event-history.controller';
import { EventReadModel } from './event.read-model';
import { InternalEventController } from './internal-event.controller';

@Module({
  imports: [ConversationsModule, SessionsModule],
  controllers: [EventHistoryController, InternalEventController],
  providers: [EventHistory, EventReadModel],
  exports: [EventReadModel],
})
export class EventsModule {}
