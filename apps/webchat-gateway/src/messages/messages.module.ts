import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { LiveModule } from '../live/live.module';
import { SessionsModule } from '../sessions/sessions.module';
import { InternalMessageController } from './internal-message.controller';
import { MessageHistory } from './message-history';
import { MessageHistoryController } from './message-history.controller';
import { MessageRepository } from './message.repository';
import { MessageWriter } from './message-writer';
import { MessageService } from './message.service';

@Module({
  imports: [ConversationsModule, LiveModule, SessionsModule],
  controllers: [InternalMessageController, MessageHistoryController],
  providers: [MessageHistory, MessageRepository, MessageService, MessageWriter],
  exports: [MessageRepository, MessageService],
})
export class MessagesModule {}
