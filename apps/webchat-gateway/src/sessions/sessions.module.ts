import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { ConversationsModule } from '../conversations/conversations.module';
import { InstalledSourceRepository } from '../installed-sources/installed-source.repository';
import { HistoryController } from './history.controller';
import { SessionController } from './session.controller';
import { SessionRepository } from './session.repository';
import { SessionService } from './session.service';
import { sessionTokenOptions, SessionTokenService } from './session-token.service';
import { WebchatSettings } from '../settings';

@Module({
  imports: [
    ConversationsModule,
    JwtModule.registerAsync({
      inject: [WebchatSettings],
      useFactory: (settings: WebchatSettings) => sessionTokenOptions(settings.WEBCHAT_SESSION_TOKEN_KEYS),
    }),
  ],
  controllers: [SessionController, HistoryController],
  providers: [InstalledSourceRepository, SessionRepository, SessionService, SessionTokenService],
  exports: [SessionRepository, SessionService, SessionTokenService],
})
export class SessionsModule {}
