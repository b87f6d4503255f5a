import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { LiveModule } from '../live/live.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AsyncApiController } from './async-api.controller';
import { ClientFrameHandler } from './client-frame.handler';
import { LostEvents } from './lost-events';
import { SessionSockets } from './session-sockets';
import { SocketAuthenticator } from './socket-authenticator';
import { SocketServer } from './socket-server';

@Module({
  imports: [ConversationsModule, LiveModule, SessionsModule],
  controllers: [AsyncApiController],
  providers: [ClientFrameHandler, LostEvents, SessionSockets, SocketAuthenticator, SocketServer],
})
export class SocketsModule {}
