import { ErasureModule, Retention } from '@cxp/erasure';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ContactCenterSettings } from '../settings';
import { contactCenterErasure } from './contact-center-erasure';
import { ExpiredConversations } from './expired-conversations';

/** Erasure on request and, if it is set how long conversations are kept, by age. */
@Module({})
export class ContactCenterErasureModule {
  static forRoot({ CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS: keptDays }: ContactCenterSettings): DynamicModule {
    const retention = {
      provide: Retention,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) =>
        new Retention(dataSource, new ExpiredConversations(dataSource, keptDays!)),
    };
    return {
      module: ContactCenterErasureModule,
      imports: [ErasureModule.forRoot({ area: { inject: [DataSource], useFactory: contactCenterErasure } })],
      providers: keptDays === undefined ? [] : [retention],
    };
  }
}
