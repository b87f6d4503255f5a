import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { LiveModule } from '../live/live.module';
import { InternalMessageController } from './internal-message.controller';
import { MessageHistory } from './message-history';
import { MessageRepository } from './message.repository';
import { MessageService } from './message.service';

@Module({
  imports: [ConversationsModule, LiveModule],
  controllers: [InternalMessageController],
  providers: [MessageHistory, MessageRepository, MessageService],
  exports: [MessageRepository, MessageService],
})
export class MessagesModule {}
