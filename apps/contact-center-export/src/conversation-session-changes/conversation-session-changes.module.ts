import { type DynamicModule, Module } from '@nestjs/common';
import { ChangeFeedModule } from '@cxp/change-feed';
import { ConversationSessionsModule } from '../conversation-sessions/conversation-sessions.module';
import type { ContactCenterSettings } from '../settings';
import { ConversationSessionChangeController } from './conversation-session-change.controller';
import { maintainSessionFeed } from './maintain-session-feed';
import { sessionFeed } from './session-change-feed';
import { SessionChangeFormats } from './session-change-formats';

@Module({})
export class ConversationSessionChangesModule {
  static forRoot(settings: ContactCenterSettings): DynamicModule {
    return {
      module: ConversationSessionChangesModule,
      imports: [
        ConversationSessionsModule,
        ChangeFeedModule.forRoot({
          feed: sessionFeed,
          removalsKeptDays: settings.CONTACT_CENTER_REMOVALS_KEPT_DAYS,
          maintain: maintainSessionFeed,
        }),
      ],
      controllers: [ConversationSessionChangeController],
      providers: [SessionChangeFormats],
    };
  }
}
