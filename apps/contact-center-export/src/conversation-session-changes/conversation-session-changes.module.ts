import { type DynamicModule, Module } from '@nestjs/common';
import { ChangeFeedModule } from '@cxp/change-feed';
import { ConversationSessionsModule } from '../conversation-sessions/conversation-sessions.module';
import { pruneRemovals } from '../records/prune-removals';
import type { ContactCenterSettings } from '../settings';
import { ConversationSessionChangeController } from './conversation-session-change.controller';
import { sessionFeed, SessionChangeFormats } from './session-change-feed';

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
          maintain: pruneRemovals,
        }),
      ],
      controllers: [ConversationSessionChangeController],
      providers: [SessionChangeFormats],
    };
  }
}
