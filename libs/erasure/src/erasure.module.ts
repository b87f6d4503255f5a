import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ErasureArea } from './erasure-area';
import { ErasureController } from './erasure.controller';
import { ErasureService } from './erasure.service';

const ERASURE_AREA = Symbol('erasure area');

export interface ErasureModuleOptions {
  readonly imports?: DynamicModule['imports'];
  /** Makes the area of what it injects. */
  readonly area: Pick<FactoryProvider<ErasureArea>, 'inject' | 'useFactory'>;
}

/** The erasures of one area, under `external/erasures`. */
@Module({})
export class ErasureModule {
  static forRoot({ imports, area }: ErasureModuleOptions): DynamicModule {
    return {
      module: ErasureModule,
      imports,
      controllers: [ErasureController],
      providers: [
        { provide: ERASURE_AREA, ...area },
        {
          provide: ErasureService,
          inject: [DataSource, ERASURE_AREA],
          useFactory: (dataSource: DataSource, eraser: ErasureArea) => new ErasureService(dataSource, eraser),
        },
      ],
      exports: [ErasureService],
    };
  }
}
