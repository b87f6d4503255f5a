import { Module } from '@nestjs/common';
import { BusinessCalendars, HumanScheduleRepository } from '../business-hours';
import { ConversationSessionDigestReadModel } from './conversation-session-digest.read-model';
import { ConversationSessionController } from './conversation-session.controller';
import { ConversationSessionRepository } from './conversation-session.repository';
import { ConversationSessionService } from './conversation-session.service';
import { StreamLimits } from './session-stream-formats';

@Module({
  controllers: [ConversationSessionController],
  providers: [
    BusinessCalendars,
    ConversationSessionDigestReadModel,
    ConversationSessionRepository,
    ConversationSessionService,
    HumanScheduleRepository,
    StreamLimits,
  ],
  exports: [BusinessCalendars, ConversationSessionDigestReadModel, StreamLimits],
})
export class ConversationSessionsModule {}
