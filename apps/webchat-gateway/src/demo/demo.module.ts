import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { ConversationsModule } from '../conversations/conversations.module';
import { MessagesModule } from '../messages/messages.module';
import { SessionsModule } from '../sessions/sessions.module';
import { DemoController } from './demo.controller';
import { DemoPageController } from './demo-page.controller';

/** A page to try the chat with, both its sides; in the local stack only. */
@Module({
  imports: [ActivitiesModule, ConversationsModule, MessagesModule, SessionsModule],
  controllers: [DemoController, DemoPageController],
})
export class DemoModule {}
