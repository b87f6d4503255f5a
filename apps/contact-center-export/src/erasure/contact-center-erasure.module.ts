import { ErasureModule } from '@cxp/erasure';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import type { DynamicModule } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { ContactCenterSettings } from '../settings';
import { contactCenterErasure } from './contact-center-erasure';
import { ExpiredConversations } from './expired-conversations';

/** Erasure on request and, if it is set how long conversations are kept, by age. */
export function contactCenterErasureModule({
  CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS: keptDays,
}: ContactCenterSettings): DynamicModule {
  return ErasureModule.forRoot({
    area: { inject: [getDataSourceToken(WORK_DATA_SOURCE)], useFactory: contactCenterErasure },
    expiring:
      keptDays === undefined
        ? undefined
        : {
            inject: [getDataSourceToken(WORK_DATA_SOURCE)],
            useFactory: (dataSource: DataSource) => new ExpiredConversations(dataSource, keptDays),
          },
  });
}
