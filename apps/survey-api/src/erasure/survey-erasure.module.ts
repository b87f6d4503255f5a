import type { DynamicModule } from '@nestjs/common';
import { ErasureModule } from '@cxp/erasure';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { SurveySettings } from '../settings';
import { expiredResponses } from './expired-responses';
import { surveyErasure } from './survey-erasure';

/** Erases the data of persons, and responses that have been kept long enough. */
export function surveyErasureModule({ SURVEY_RESPONSES_KEPT_DAYS: keptDays }: SurveySettings): DynamicModule {
  return ErasureModule.forRoot({
    area: { inject: [getDataSourceToken(WORK_DATA_SOURCE)], useFactory: surveyErasure },
    expiring:
      keptDays === undefined
        ? undefined
        : {
            inject: [getDataSourceToken(WORK_DATA_SOURCE)],
            useFactory: (dataSource: DataSource) => expiredResponses(dataSource, keptDays),
          },
  });
}
