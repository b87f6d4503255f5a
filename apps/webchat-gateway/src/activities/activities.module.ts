import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module';
import { ActivityController } from './activity.controller';
import { ActivityRepository } from './activity.repository';

@Module({ imports: [LiveModule], controllers: [ActivityController], providers: [ActivityRepository] })
export class ActivitiesModule {}
