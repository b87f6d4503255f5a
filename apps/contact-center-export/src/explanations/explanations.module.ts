import { Module } from '@nestjs/common';
import { HumanScheduleRepository } from '../business-hours';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { ExplanationController } from './explanation.controller';
import { ExplanationService } from './explanation.service';

@Module({
  controllers: [ExplanationController],
  providers: [ConversationRecordsReadModel, ExplanationService, HumanScheduleRepository],
})
export class ExplanationsModule {}
