import { Module, type DynamicModule } from '@nestjs/common';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { ErasureModule, Retention } from '@cxp/erasure';
import type { WebchatSettings } from '../settings';
import { webchatErasure } from './webchat-erasure';
import { expiringConversations } from './webchat-retention';

/** What ends the life of data: erasure, and, if there is a setting for it, retention. */
@Module({})
export class WebchatErasureModule {
  static forRoot({ WEBCHAT_CONVERSATIONS_KEPT_DAYS: keptDays }: WebchatSettings): DynamicModule {
    return {
      module: WebchatErasureModule,
      imports: [ErasureModule.forRoot({ area: { inject: [DataSource, Redis], useFactory: webchatErasure } })],
      providers: keptDays
        ? [
            {
              provide: Retention,
              inject: [DataSource, Redis],
              useFactory: (dataSource: DataSource, redis: Redis) =>
                new Retention(dataSource, expiringConversations(dataSource, redis, keptDays)),
            },
          ]
        : [],
    };
  }
}
