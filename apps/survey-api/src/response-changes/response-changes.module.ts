import { Module, type DynamicModule } from '@nestjs/common';
import { ChangeFeedModule } from '@cxp/change-feed';
import type { SurveySettings } from '../settings';
import { ResponseChangeController } from './response-change.controller';
import { ResponseDigestReadModel } from './response-digest.read-model';
import { RESPONSE_FEED } from '../responses/response-feed';

@Module({})
export class ResponseChangesModule {
  static forRoot(settings: SurveySettings): DynamicModule {
    return {
      module: ResponseChangesModule,
      imports: [
        ChangeFeedModule.forRoot({
          feed: RESPONSE_FEED,
          removalsKeptDays: settings.SURVEY_REMOVALS_KEPT_DAYS,
        }),
      ],
      controllers: [ResponseChangeController],
      providers: [ResponseDigestReadModel],
    };
  }
}
