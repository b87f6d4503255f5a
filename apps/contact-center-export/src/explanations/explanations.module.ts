import { Module } from '@nestjs/common';
import { HumanScheduleRepository } from '../business-hours';
import { ConversationSessionsModule } from '../conversation-sessions/conversation-sessions.module';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { ExplanationController } from './explanation.controller';
import { ExplanationService } from './explanation.service';

@Module({
  imports: [ConversationSessionsModule],
  controllers: [ExplanationController],
  providers: [ConversationRecordsReadModel, ExplanationService, HumanScheduleRepository],
})
export class ExplanationsModule {}
