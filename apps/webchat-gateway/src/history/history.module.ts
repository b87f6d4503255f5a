import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { SessionsModule } from '../sessions/sessions.module';
import { HistoryController } from './history.controller';
import { HistoryReadModel } from './history.read-model';
import { InternalHistoryController } from './internal-history.controller';

@Module({
  imports: [ConversationsModule, SessionsModule],
  controllers: [HistoryController, InternalHistoryController],
  providers: [HistoryReadModel],
  exports: [HistoryReadModel],
})
export class HistoryModule {}
