import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import { Health } from '@cxp/service-kit';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { ChangeAnswers } from './change-answers';
import { ChangeFeed, type FeedDefinition } from './change-feed';
import { ChangeFeedMaintenance, type MaintenanceOptions } from './change-feed.maintenance';
import { ChangeWatch } from './change-watch';
import { FeedEpoch } from './feed-epoch';

export interface ChangeFeedModuleOptions {
  readonly feed: FeedDefinition;
  readonly removalsKeptDays: number;
  /** The area's part of the job that runs every minute. */
  readonly maintain?: (
    dataSource: DataSource,
    ...parameters: Parameters<NonNullable<MaintenanceOptions['maintain']>>
  ) => Promise<void>;
}

@Module({})
export class ChangeFeedModule implements OnApplicationBootstrap {
  constructor(
    private readonly health: Health,
    private readonly watch: ChangeWatch,
  ) {}

  static forRoot(options: ChangeFeedModuleOptions): DynamicModule {
    const { feed, removalsKeptDays, maintain } = options;
    return {
      module: ChangeFeedModule,
      // Global, because hints carry the epoch of the feed.
      global: true,
      providers: [
        {
          provide: ChangeWatch,
          inject: [EntityManager],
          useFactory: (manager: EntityManager) => new ChangeWatch(manager, feed.schema),
        },
        {
          provide: FeedEpoch,
          inject: [EntityManager],
          useFactory: (manager: EntityManager) => new FeedEpoch(manager, feed.schema),
        },
        {
          provide: ChangeFeed,
          inject: [EntityManager, ChangeWatch, FeedEpoch],
          useFactory: (manager: EntityManager, watch: ChangeWatch, epochs: FeedEpoch) =>
            new ChangeFeed(manager, feed, watch, epochs),
        },
        {
          provide: ChangeAnswers,
          inject: [ChangeFeed],
          useFactory: (changes: ChangeFeed<object>) => new ChangeAnswers(changes),
        },
        {
          provide: ChangeFeedMaintenance,
          inject: [getDataSourceToken(WORK_DATA_SOURCE)],
          useFactory: (dataSource: DataSource) =>
            new ChangeFeedMaintenance(dataSource, {
              schema: feed.schema,
              removalsKeptDays,
              maintain: maintain && ((before) => maintain(dataSource, before)),
            }),
        },
      ],
      exports: [ChangeAnswers, ChangeFeed, ChangeWatch, ChangeFeedMaintenance, FeedEpoch],
    };
  }

  /** Answers waiting readers at the beginning of a shutdown, before connections are closed. */
  onApplicationBootstrap(): void {
    this.health.onDraining(() => this.watch.stop());
  }
}
