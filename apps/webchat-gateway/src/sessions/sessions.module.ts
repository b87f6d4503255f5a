import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { ConversationRepository } from '../conversations/conversation.repository';
import { InstalledSourceRepository } from '../installed-sources/installed-source.repository';
import { CreateSessionPipe } from './create-session.pipe';
import { SessionController } from './session.controller';
import { SessionRepository } from './session.repository';
import { SessionService } from './session.service';
import { SessionTokenService } from './session-token.service';

@Module({
  imports: [JwtModule.register({})],
  controllers: [SessionController],
  providers: [
    ConversationRepository,
    CreateSessionPipe,
    InstalledSourceRepository,
    SessionRepository,
    SessionService,
    SessionTokenService,
  ],
})
export class SessionsModule {}
