import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { SessionsModule } from '../sessions/sessions.module';
import { HistoryController } from './history.controller';

@Module({ imports: [ConversationsModule, SessionsModule], controllers: [HistoryController] })
export class HistoryModule {}
