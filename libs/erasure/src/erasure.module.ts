import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { ERASURE_AREA, type ErasureArea } from './erasure-area';
import { ErasureController } from './erasure.controller';
import { ErasureService } from './erasure.service';

@Module({})
export class ErasureModule {
  /** @param makeArea gets the data source of background work and the injected values */
  static forRoot<Injected extends unknown[]>(
    makeArea: (dataSource: DataSource, ...injected: Injected) => ErasureArea,
    inject: readonly InjectionToken[] = [],
  ): DynamicModule {
    return {
      module: ErasureModule,
      controllers: [ErasureController],
      providers: [
        {
          provide: ERASURE_AREA,
          inject: [getDataSourceToken(WORK_DATA_SOURCE), ...inject],
          useFactory: makeArea,
        },
        ErasureService,
      ],
    };
  }
}
