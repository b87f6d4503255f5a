import { type DynamicModule, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { type DataSource, EntityManager } from 'typeorm';
import type { SigningKey } from '@cxp/service-kit';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { FeedEpoch } from '@cxp/change-feed';
import { AllowedAddresses } from './allowed-addresses';
import { HintCall, WebhookSecrets } from './hint-call';
import { HintSender } from './hint-sender';
import { WebhookEndpointController } from './webhook-endpoint.controller';
import { WebhookEndpointRepository } from './webhook-endpoint.repository';

export interface HintsModuleOptions {
  readonly schema: string;
  readonly type: string;
  readonly secretKeys?: readonly SigningKey[];
  readonly allowedNetworks?: readonly string[];
}

/** The webhook endpoints of one area, under `external/webhook-endpoints`, and their sender. */
@Module({})
export class HintsModule {
  static forRoot({ schema, type, secretKeys, allowedNetworks }: HintsModuleOptions): DynamicModule {
    const secrets = new WebhookSecrets(secretKeys);
    const addresses = new AllowedAddresses(allowedNetworks);
    return {
      module: HintsModule,
      controllers: [WebhookEndpointController],
      providers: [
        { provide: WebhookSecrets, useValue: secrets },
        { provide: AllowedAddresses, useValue: addresses },
        { provide: HintCall, useValue: new HintCall(type, secrets, addresses) },
        {
          provide: WebhookEndpointRepository,
          inject: [EntityManager, getDataSourceToken(WORK_DATA_SOURCE), FeedEpoch],
          useFactory: (manager: EntityManager, work: DataSource, epochs: FeedEpoch) =>
            new WebhookEndpointRepository(manager, work.manager, schema, epochs),
        },
        HintSender,
      ],
    };
  }
}
