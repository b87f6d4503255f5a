import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { LiveModule } from '../live/live.module';
import { MessagesModule } from '../messages/messages.module';
import { SessionsModule } from '../sessions/sessions.module';
import { AsyncApiController } from './async-api.controller';
import { ChatGateway } from './chat.gateway';
import { CustomerFrames } from './customer-frames';
import { OpenSockets } from './open-sockets';
import { SocketEntry } from './socket-entry';
import { SocketRegistry } from './socket-registry';
import { TlsListener } from './tls-listener';
import { TokenAdmission } from './token-admission';

@Module({
  imports: [ConversationsModule, LiveModule, MessagesModule, SessionsModule],
  controllers: [AsyncApiController],
  providers: [
    ChatGateway,
    CustomerFrames,
    OpenSockets,
    SocketEntry,
    SocketRegistry,
    TlsListener,
    TokenAdmission,
  ],
})
export class SocketsModule {}
