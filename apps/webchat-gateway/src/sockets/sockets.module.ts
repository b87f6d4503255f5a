import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { HistoryModule } from '../history/history.module';
import { LiveModule } from '../live/live.module';
import { MessagesModule } from '../messages/messages.module';
import { RatingRepository } from '../ratings/rating.repository';
import { SessionsModule } from '../sessions/sessions.module';
import { AsyncApiController } from './async-api.controller';
import { ClientFrameHandler } from './client-frame.handler';
import { LostEvents } from './lost-events';
import { SessionSockets } from './session-sockets';
import { SocketAuthenticator } from './socket-authenticator';
import { SocketServer } from './socket-server';

@Module({
  imports: [ConversationsModule, HistoryModule, LiveModule, MessagesModule, SessionsModule],
  controllers: [AsyncApiController],
  providers: [
    ClientFrameHandler,
    LostEvents,
    RatingRepository,
    SessionSockets,
    SocketAuthenticator,
    SocketServer,
  ],
})
export class SocketsModule {}
