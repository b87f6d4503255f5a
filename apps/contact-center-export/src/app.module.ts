import { Module, type DynamicModule } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { accessDatabase, type AccountSessionOptions } from '@cxp/auth-headers';
import { ChangeFeedModule } from '@cxp/change-feed';
import { HintsModule } from '@cxp/webhooks';
import { ErasureModule } from '@cxp/erasure';
import { detailEnvelope, validationItems } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule, RetentionModule } from '@cxp/records';
import { PlatformModule, type PlatformOptions, SettingsError } from '@cxp/service-kit';
import { BusinessCalendars, HumanScheduleRepository } from './business-hours';
import { ConversationSessionChangeController } from './conversation-session-changes/conversation-session-change.controller';
import { sessionFeed, SessionChangeFormats } from './conversation-session-changes/session-change-feed';
import { ConversationSessionController } from './conversation-sessions/conversation-session.controller';
import { ConversationSessionDigestReadModel } from './conversation-sessions/conversation-session-digest.read-model';
import { ConversationSessionReadModel } from './conversation-sessions/conversation-session.read-model';
import { ConversationSessionService } from './conversation-sessions/conversation-session.service';
import { StreamLimits } from './conversation-sessions/session-stream-formats';
import { contactCenterDatabase } from './database';
import { contactCenterEraser } from './erasure/contact-center-eraser';
import { ExplanationController } from './explanations/explanation.controller';
import { ExplanationService } from './explanations/explanation.service';
import { contactCenterRecordStore } from './records/contact-center-writer';
import { ConversationRecordsReadModel } from './records/conversation-records.read-model';
import { ExpiredConversations, pruneRemovals } from './erasure/retention';
import { ContactCenterSettings } from './settings';

const UNAUTHORIZED = { status: 401, content: { message: 'Unauthorized' } };

/** Area B answers a missing permission like a missing token. */
const contactCenterEnvelope = detailEnvelope({
  unauthenticated: () => UNAUTHORIZED,
  permission_missing: () => UNAUTHORIZED,
  resource_not_found: ({ model, id }) => ({ content: { message: `${model} with id ${id} was not found` } }),
});

@Module({})
export class AppModule {
  static readonly serviceName = 'contact-center-export';
  static readonly settings = ContactCenterSettings;

  static platform(settings: ContactCenterSettings): PlatformOptions {
    return {
      name: AppModule.serviceName,
      port: settings.CONTACT_CENTER_PORT,
      databases: [accessDatabase, contactCenterDatabase],
      envelope: contactCenterEnvelope,
      validationProblems: validationItems,
      rateLimits: {
        default: perSecondAndMinute(settings, 'EXTERNAL_CONTACT_CENTER'),
        CHANGES: perSecondAndMinute(settings, 'CHANGES'),
      },
      accountSessions: accountSessions(settings),
      serviceTokenKeys: settings.SERVICE_TOKEN_KEYS,
      document: describeApi(),
    };
  }

  static forRoot(settings: ContactCenterSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot(settings, AppModule.platform(settings)),
        ChangeFeedModule.forRoot({
          feed: sessionFeed,
          removalsKeptDays: settings.CONTACT_CENTER_REMOVALS_KEPT_DAYS,
          maintain: pruneRemovals,
        }),
        RecordIntakeModule.forRoot(contactCenterRecordStore(settings.CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS)),
        ErasureModule.forRoot(contactCenterEraser),
        RetentionModule.forRoot(
          settings.CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS,
          (dataSource) => new ExpiredConversations(dataSource),
        ),
        HintsModule.forRoot({
          schema: contactCenterDatabase.schema,
          type: 'conversation-session-changes',
          secretKeys: settings.WEBHOOK_SECRET_KEYS,
          allowedNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
        }),
      ],
      controllers: [
        ConversationSessionController,
        ConversationSessionChangeController,
        ExplanationController,
      ],
      providers: [
        BusinessCalendars,
        ConversationRecordsReadModel,
        ConversationSessionDigestReadModel,
        ConversationSessionReadModel,
        ConversationSessionService,
        ExplanationService,
        HumanScheduleRepository,
        SessionChangeFormats,
        StreamLimits,
      ],
    };
  }
}

function accountSessions(settings: ContactCenterSettings): AccountSessionOptions | undefined {
  const { ACCOUNT_SESSION_SECRET: secret, ACCOUNT_SESSION_JWKS_URL: jwksUrl } = settings;
  if (secret && jwksUrl)
    throw new SettingsError(
      'bad settings: ACCOUNT_SESSION_SECRET and ACCOUNT_SESSION_JWKS_URL are set: only one of them may be',
    );
  const key = secret ? { secret } : jwksUrl ? { jwksUrl } : undefined;
  const { ACCOUNT_SESSION_ISSUER: issuer, ACCOUNT_SESSION_AUDIENCE: audience } = settings;
  return key && { key, issuer, audience };
}

function describeApi(): DocumentBuilder {
  return new DocumentBuilder()
    .setTitle('Conversation session export')
    .addTag('Conversation sessions', 'One row per agent session and matched ticket.')
    .addTag('Erasures', 'What is stored of a person is erased.')
    .addTag('Webhook endpoints', 'They are sent hints: the number that the feed of changes has reached.')
    .setDescription(
      'Answers one row per agent session and matched ticket, with timing metrics in calendar and business hours, customer ' +
        'satisfaction and custom fields.',
    );
}
