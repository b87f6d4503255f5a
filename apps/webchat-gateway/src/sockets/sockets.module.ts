import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AsyncApiController } from './async-api.controller';
import { SocketServer } from './socket-server';
import { ChatSocketHandler } from './chat-socket.handler';

@Module({
  imports: [ConversationsModule, SessionsModule],
  controllers: [AsyncApiController],
  providers: [ChatSocketHandler, SocketServer],
})
export class SocketsModule {}
