import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import type { ErasureArea } from './erasure-area';
import { ErasureController } from './erasure.controller';
import { ErasureService } from './erasure.service';
import { type ExpiringData, Retention } from './retention';

const WORK = getDataSourceToken(WORK_DATA_SOURCE);
const ERASURE_AREA = Symbol('erasure area');
const EXPIRING_DATA = Symbol('expiring data');

export interface ErasureModuleOptions {
  /** Makes the area of what it injects. */
  readonly area: Pick<FactoryProvider<ErasureArea>, 'inject' | 'useFactory'>;
  /** What expires, made in the same way; left out: nothing does. */
  readonly expiring?: Pick<FactoryProvider<ExpiringData>, 'inject' | 'useFactory'>;
}

/** The erasures of one area, under `external/erasures`, and its retention. */
@Module({})
export class ErasureModule {
  static forRoot({ area, expiring }: ErasureModuleOptions): DynamicModule {
    const retention = expiring && [
      { provide: EXPIRING_DATA, ...expiring },
      {
        provide: Retention,
        inject: [WORK, WORK, EXPIRING_DATA],
        useFactory: (...parameters: ConstructorParameters<typeof Retention>) => new Retention(...parameters),
      },
    ];
    return {
      module: ErasureModule,
      controllers: [ErasureController],
      providers: [
        { provide: ERASURE_AREA, ...area },
        {
          provide: ErasureService,
          inject: [WORK, ERASURE_AREA],
          useFactory: (dataSource: DataSource, eraser: ErasureArea) => new ErasureService(dataSource, eraser),
        },
        ...(retention ?? []),
      ],
      exports: [ErasureService],
    };
  }
}
