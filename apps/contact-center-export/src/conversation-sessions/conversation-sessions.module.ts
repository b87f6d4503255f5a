import { Module } from '@nestjs/common';
import { ConversationSessionController } from './conversation-session.controller';
import { ConversationSessionReadModel } from './conversation-session.read-model';
import { ConversationSessionService } from './conversation-session.service';
import { HumanScheduleReadModel } from './human-schedule.read-model';
import { SessionPageReadModel } from './session-page.read-model';

@Module({
  controllers: [ConversationSessionController],
  providers: [
    ConversationSessionReadModel,
    ConversationSessionService,
    HumanScheduleReadModel,
    SessionPageReadModel,
  ],
})
export class ConversationSessionsModule {}
