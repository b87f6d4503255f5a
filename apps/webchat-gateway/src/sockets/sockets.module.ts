import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AsyncApiController } from './async-api.controller';
import { ClientFrameHandler } from './client-frame.handler';
import { SocketAuthenticator } from './socket-authenticator';
import { SocketServer } from './socket-server';

@Module({
  imports: [ConversationsModule, SessionsModule],
  controllers: [AsyncApiController],
  providers: [ClientFrameHandler, SocketAuthenticator, SocketServer],
})
export class SocketsModule {}
