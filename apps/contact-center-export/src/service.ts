import type { AccountSessionKey } from '@cxp/access';
import { validationItems } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { RecordIntakeModule, RecordStreamModule } from '@cxp/record-intake';
import type { ServiceDefinition } from '@cxp/service-kit';
import { contactCenterEnvelope } from './conversation-sessions/contact-center-envelope';
import { ConversationSessionsModule } from './conversation-sessions/conversation-sessions.module';
import { contactCenterRecords } from './records/contact-center-records';
import { ContactCenterSettings } from './settings';

export const contactCenterExport: ServiceDefinition<ContactCenterSettings> = {
  name: 'contact-center-export',
  settings: ContactCenterSettings,
  port: (settings) => settings.CONTACT_CENTER_PORT,
  envelope: contactCenterEnvelope,
  validationProblems: validationItems,
  accountSessionKey,
  rateLimits: (settings) =>
    perSecondAndMinute(
      settings.EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT,
      settings.EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT,
    ),
  imports: () => [
    ConversationSessionsModule,
    RecordIntakeModule.forRoot(contactCenterRecords),
    RecordStreamModule.forRoot(contactCenterRecords),
  ],
  document: (builder) =>
    builder
      .setTitle('Conversation session export')
      .setDescription(
        'One row per agent session × matched ticket, with timing metrics in calendar and business hours, customer ' +
          'satisfaction and custom fields.',
      ),
};

function accountSessionKey(settings: ContactCenterSettings): AccountSessionKey | undefined {
  const { ACCOUNT_SESSION_SECRET: secret, ACCOUNT_SESSION_JWKS_URL: jwksUrl } = settings;
  if (secret) return { secret };
  return jwksUrl ? { jwksUrl } : undefined;
}
