import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module';
import { RatingRepository } from './rating.repository';
import { RatingService } from './rating.service';

@Module({ imports: [LiveModule], providers: [RatingRepository, RatingService], exports: [RatingService] })
export class RatingsModule {}
