import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module';
import { ChatLogRepository } from './chat-log.repository';
import { ChatService } from './chat.service';
import { ConversationRepository } from './conversation.repository';
import { HistoryReadModel } from './history.read-model';
import { InternalConversationController } from './internal-conversation.controller';

@Module({
  imports: [LiveModule],
  controllers: [InternalConversationController],
  providers: [ChatLogRepository, ChatService, ConversationRepository, HistoryReadModel],
  exports: [ChatService, ConversationRepository, HistoryReadModel],
})
export class ConversationsModule {}
