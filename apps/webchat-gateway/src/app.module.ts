import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { Redis } from 'ioredis';
import { accessDatabase } from '@cxp/access';
import { messageEnvelope, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule } from '@cxp/record-intake';
import { PlatformModule } from '@cxp/service-kit';
import { webchatDatabase } from './database';
import { ConversationsModule } from './conversations/conversations.module';
import { ErasureModule } from '@cxp/erasure';
import { webchatErasure } from './erasure/webchat-erasure';
import { webchatRecords } from './installed-sources/installed-source.repository';
import { RecordSender } from './record-delivery/record-sender';
import { UndeliveredRepository } from './record-delivery/undelivered.repository';
import { SessionsModule } from './sessions/sessions.module';
import { WebchatSettings } from './settings';
import { SocketsModule } from './sockets/sockets.module';

@Module({})
export class AppModule {
  static readonly serviceName = 'webchat-gateway';
  static readonly settings = WebchatSettings;

  static forRoot(settings: WebchatSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(settings, {
          name: AppModule.serviceName,
          port: settings.WEBCHAT_PORT,
          databases: [accessDatabase, webchatDatabase],
          envelope: messageEnvelope,
          validationProblems: validationSentences,
          rateLimits: perSecondAndMinute(settings, 'EXTERNAL_WEBCHAT'),
          document: describeApi(),
        }),
        SessionsModule,
        ConversationsModule,
        SocketsModule,
        ErasureModule.forRoot(
          (dataSource, redis: Redis) =>
            webchatErasure(dataSource, redis, settings.WEBCHAT_CONVERSATIONS_KEPT_DAYS),
          [Redis],
        ),
        RecordIntakeModule.forRoot(webchatRecords),
      ],
      providers: [RecordSender, UndeliveredRepository],
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
