import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { ERASER, type Eraser } from './eraser';
import { ErasureController } from './erasure.controller';
import { ErasureService } from './erasure.service';

@Module({})
export class ErasureModule {
  /** @param makeEraser gets the data source of background work and the injected values */
  static forRoot<Injected extends unknown[]>(
    makeEraser: (dataSource: DataSource, ...injected: Injected) => Eraser,
    inject: readonly InjectionToken[] = [],
  ): DynamicModule {
    return {
      module: ErasureModule,
      controllers: [ErasureController],
      providers: [
        {
          provide: ERASER,
          inject: [getDataSourceToken(WORK_DATA_SOURCE), ...inject],
          useFactory: makeEraser,
        },
        ErasureService,
      ],
    };
  }
}
