import { Module, type DynamicModule } from '@nestjs/common';
import { ErasureModule, Retention } from '@cxp/erasure';
import { DataSource } from 'typeorm';
import type { SurveySettings } from '../settings';
import { expiredResponses } from './expired-responses';
import { surveyErasure } from './survey-erasure';

/** Erases the data of persons, and responses that have been kept long enough. */
@Module({})
export class SurveyErasureModule {
  static forRoot({ SURVEY_RESPONSES_KEPT_DAYS: keptDays }: SurveySettings): DynamicModule {
    const retention = {
      provide: Retention,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new Retention(dataSource, expiredResponses(dataSource, keptDays!)),
    };
    return {
      module: SurveyErasureModule,
      imports: [ErasureModule.forRoot({ area: { inject: [DataSource], useFactory: surveyErasure } })],
      providers: keptDays === undefined ? [] : [retention],
    };
  }
}
