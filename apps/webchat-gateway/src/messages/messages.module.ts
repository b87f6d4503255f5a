import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { LiveModule } from '../live/live.module';
import { InternalMessageController } from './internal-message.controller';
import { MessageRepository } from './message.repository';
import { MessageService } from './message.service';

@Module({
  imports: [ConversationsModule, LiveModule],
  controllers: [InternalMessageController],
  providers: [MessageRepository, MessageService],
  exports: [MessageService],
})
export class MessagesModule {}
