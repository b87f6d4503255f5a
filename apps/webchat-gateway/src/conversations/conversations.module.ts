import { Module } from '@nestjs/common';
import { LivePublisher } from '../live/live-publisher';
import { LiveSubscriptions } from '../live/live-subscriptions';
import { ChatLogRepository } from './chat-log.repository';
import { ChatService } from './chat.service';
import { ConversationRepository } from './conversation.repository';
import { HistoryReadModel } from './history.read-model';
import { InternalConversationController } from './internal-conversation.controller';

@Module({
  controllers: [InternalConversationController],
  providers: [
    ChatLogRepository,
    ChatService,
    ConversationRepository,
    HistoryReadModel,
    LivePublisher,
    LiveSubscriptions,
  ],
  exports: [ChatService, ConversationRepository, HistoryReadModel, LivePublisher, LiveSubscriptions],
})
export class ConversationsModule {}
