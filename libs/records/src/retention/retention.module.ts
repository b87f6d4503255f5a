import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { type ExpiringData, RetentionJob } from './retention.job';

@Module({})
export class RetentionModule {
  /**
   * @param keptDays undefined: nothing expires
   * @param expiringData gets the data source of background work and the injected values
   */
  static forRoot<Injected extends unknown[]>(
    keptDays: number | undefined,
    expiringData: (dataSource: DataSource, ...injected: Injected) => ExpiringData,
    inject: readonly InjectionToken[] = [],
  ): DynamicModule {
    if (keptDays === undefined) return { module: RetentionModule };
    const job = {
      provide: RetentionJob,
      inject: [getDataSourceToken(WORK_DATA_SOURCE), ...inject],
      useFactory: (dataSource: DataSource, ...injected: Injected) =>
        new RetentionJob(dataSource, expiringData(dataSource, ...injected), keptDays),
    };
    return { module: RetentionModule, providers: [job] };
  }
}
