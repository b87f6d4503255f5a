import { Module } from '@nestjs/common';
import { LivePublisher } from './live-publisher';
import { LiveSubscriptions } from './live-subscriptions';

@Module({ providers: [LivePublisher, LiveSubscriptions], exports: [LivePublisher, LiveSubscriptions] })
export class LiveModule {}
