import { Module, type DynamicModule } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { DocumentBuilder } from '@nestjs/swagger';
import { Redis } from 'ioredis';
import { accessDatabase } from '@cxp/auth-headers';
import { ErasureModule } from '@cxp/erasure';
import { messageEnvelope, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule, RetentionModule } from '@cxp/records';
import { PlatformModule, type PlatformOptions } from '@cxp/service-kit';
import { webchatDatabase } from './database';
import { ChatLogRepository } from './conversations/chat-log.repository';
import { ChatService } from './conversations/chat.service';
import { ConversationRepository } from './conversations/conversation.repository';
import { HistoryReadModel } from './conversations/history.read-model';
import { InternalConversationController } from './conversations/internal-conversation.controller';
import { webchatEraser, expiredConversations } from './erasure/webchat-eraser';
import { InstalledSourceRepository, webchatRecords } from './installed-sources/installed-source.repository';
import { LivePublisher, LiveSubscriptions } from './live/live-events';
import { RecordSender } from './record-delivery/record-sender';
import { UndeliveredRepository } from './record-delivery/undelivered.repository';
import { HistoryController } from './sessions/history.controller';
import { SessionController } from './sessions/session.controller';
import { SessionRepository } from './sessions/session.repository';
import { SessionService, sessionTokenOptions } from './sessions/session.service';
import { WebchatSettings } from './settings';
import { AsyncApiController } from './chat-protocol/async-api.controller';
import { ChatSocketHandler } from './sockets/chat-socket.handler';
import { LostEventsJob, SocketClock } from './sockets/socket-jobs';
import { readSocketRequest, socketPath, SocketServer } from './sockets/socket-server';

@Module({})
export class AppModule {
  static readonly serviceName = 'webchat-gateway';
  static readonly settings = WebchatSettings;

  static platform(settings: WebchatSettings): PlatformOptions {
    return {
      name: AppModule.serviceName,
      port: settings.WEBCHAT_PORT,
      databases: [accessDatabase, webchatDatabase],
      envelope: messageEnvelope,
      validationProblems: validationSentences,
      rateLimits: { default: perSecondAndMinute(settings, 'EXTERNAL_WEBCHAT') },
      acceptsUpgrade: (request) =>
        readSocketRequest(request, socketPath(settings.WEBCHAT_WEBSOCKET_URL)) !== undefined,
      document: describeApi(),
    };
  }

  static forRoot(settings: WebchatSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(settings, AppModule.platform(settings)),
        JwtModule.registerAsync({
          useFactory: () => sessionTokenOptions(settings.WEBCHAT_SESSION_TOKEN_KEYS),
        }),
        ErasureModule.forRoot(webchatEraser, [Redis]),
        RetentionModule.forRoot(settings.WEBCHAT_CONVERSATIONS_KEPT_DAYS, expiredConversations, [Redis]),
        RecordIntakeModule.forRoot(webchatRecords),
      ],
      controllers: [SessionController, HistoryController, InternalConversationController, AsyncApiController],
      providers: [
        SessionService,
        SessionRepository,
        InstalledSourceRepository,
        ChatService,
        ChatLogRepository,
        ConversationRepository,
        HistoryReadModel,
        LivePublisher,
        LiveSubscriptions,
        SocketServer,
        SocketClock,
        LostEventsJob,
        ChatSocketHandler,
        RecordSender,
        UndeliveredRepository,
      ],
    };
  }
}

function describeApi(): DocumentBuilder {
  return new DocumentBuilder()
    .setTitle('Webchat sessions')
    .addTag(
      'Webchat sessions',
      "Sessions of a customer's users, created and refreshed by the customer's backend.",
    )
    .addTag('Erasures', 'What is stored of a person is erased.')
    .addTag('Conversations', 'The history of a conversation, for the holder of a session token.')
    .setDescription(
      'Creates webchat sessions for your users and refreshes their tokens. A conversation lasts and holds the ' +
        'history; a session is a credential over it that lasts one hour. History comes back only through `user.id`.',
    )
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Session token' }, 'sessionToken');
}
