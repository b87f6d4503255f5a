import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module';
import { ConversationSignals } from './conversation-signals';
import { ConversationRepository } from './conversation.repository';

@Module({
  imports: [LiveModule],
  providers: [ConversationRepository, ConversationSignals],
  exports: [ConversationRepository, ConversationSignals],
})
export class ConversationsModule {}
