import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import type { ErasureArea } from './erasure-area';
import { ErasureController } from './erasure.controller';
import { ErasureJob } from './erasure.job';
import { ErasureService } from './erasure.service';

const WORK = getDataSourceToken(WORK_DATA_SOURCE);
const ERASURE_AREA = Symbol('erasure area');

/** The erasures of one area, under `external/erasures`, and its retention. */
@Module({})
export class ErasureModule {
  /** @param makeArea is given the data source of background work and what is injected */
  static forRoot<Injected extends unknown[]>(
    makeArea: (dataSource: DataSource, ...injected: Injected) => ErasureArea,
    inject: readonly InjectionToken[] = [],
  ): DynamicModule {
    return {
      module: ErasureModule,
      controllers: [ErasureController],
      providers: [
        { provide: ERASURE_AREA, inject: [WORK, ...inject], useFactory: makeArea },
        {
          provide: ErasureService,
          inject: [WORK, ERASURE_AREA],
          useFactory: (dataSource: DataSource, area: ErasureArea) => new ErasureService(dataSource, area),
        },
        {
          provide: ErasureJob,
          inject: [WORK, ERASURE_AREA, ErasureService],
          useFactory: (...parameters: ConstructorParameters<typeof ErasureJob>) =>
            new ErasureJob(...parameters),
        },
      ],
    };
  }
}
