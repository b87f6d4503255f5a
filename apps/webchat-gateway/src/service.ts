import { messageEnvelope, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule } from '@cxp/record-intake';
import type { ServiceDefinition } from '@cxp/service-kit';
import { ActivitiesModule } from './activities/activities.module';
import { DemoModule } from './demo/demo.module';
import { MessagesModule } from './messages/messages.module';
import { OutboxModule } from './outbox/outbox.module';
import { webchatRecords } from './records/webchat-records';
import { SessionsModule } from './sessions/sessions.module';
import { WebchatSettings } from './settings';
import { SessionSocketAdapter } from './sockets/session-socket.adapter';
import { socketPath } from './sockets/socket-request';
import { SocketsModule } from './sockets/sockets.module';

export const webchatGateway: ServiceDefinition<WebchatSettings> = {
  name: 'webchat-gateway',
  settings: WebchatSettings,
  port: (settings) => settings.WEBCHAT_PORT,
  envelope: messageEnvelope,
  validationProblems: validationSentences,
  rateLimits: (settings) =>
    perSecondAndMinute(settings.EXTERNAL_WEBCHAT_PER_SEC_LIMIT, settings.EXTERNAL_WEBCHAT_PER_MIN_LIMIT),
  imports: (settings) => [
    SessionsModule,
    MessagesModule,
    ActivitiesModule,
    SocketsModule,
    OutboxModule,
    RecordIntakeModule.forRoot(webchatRecords),
    ...(settings.WEBCHAT_DEMO_ORGANIZATION ? [DemoModule] : []),
  ],
  webSockets: (app, settings) => new SessionSocketAdapter(app, socketPath(settings.WEBCHAT_WEBSOCKET_URL)),
  document: (builder) =>
    builder
      .setTitle('Webchat sessions')
      .setDescription(
        'Creates webchat sessions for your users and refreshes their tokens. A conversation lasts and holds the ' +
          'history; a session is a credential over it that lasts one hour. History comes back only through `user.id`.',
      )
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'Session token' }, 'sessionToken'),
};
