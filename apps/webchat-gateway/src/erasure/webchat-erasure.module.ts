import type { DynamicModule } from '@nestjs/common';
import { ErasureModule } from '@cxp/erasure';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { Redis } from 'ioredis';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { WebchatSettings } from '../settings';
import { webchatErasure } from './webchat-erasure';
import { expiringConversations } from './webchat-retention';

/** What ends the life of data: erasure, and, if there is a setting for it, retention. */
export function webchatErasureModule({
  WEBCHAT_CONVERSATIONS_KEPT_DAYS: keptDays,
}: WebchatSettings): DynamicModule {
  return ErasureModule.forRoot({
    area: { inject: [getDataSourceToken(WORK_DATA_SOURCE), Redis], useFactory: webchatErasure },
    expiring:
      keptDays === undefined
        ? undefined
        : {
            inject: [getDataSourceToken(WORK_DATA_SOURCE), Redis],
            useFactory: (dataSource: DataSource, redis: Redis) =>
              expiringConversations(dataSource, redis, keptDays),
          },
  });
}
