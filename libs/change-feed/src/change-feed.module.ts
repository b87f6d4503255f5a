import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Health } from '@cxp/service-kit';
import { WORK_DATA_SOURCE } from '@cxp/storage';
import { ChangeAnswers } from './change-answers';
import { ChangeFeed, FEED, type FeedDefinition } from './change-feed';
import { ChangeFeedMaintenance } from './change-feed.maintenance';
import { ChangeWatch } from './change-watch';
import { FEED_SCHEMA, FeedEpoch } from './change-cursor';

export interface ChangeFeedModuleOptions {
  readonly feed: FeedDefinition;
  readonly removalsKeptDays: number;
  /** The area's part of the job that runs every minute. */
  readonly maintain?: (dataSource: DataSource, prunedBefore: Date) => Promise<void>;
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
        { provide: FEED, useValue: feed },
        { provide: FEED_SCHEMA, useValue: feed.schema },
        ChangeWatch,
        FeedEpoch,
        ChangeFeed,
        ChangeAnswers,
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
