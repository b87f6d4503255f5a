import { Module } from '@nestjs/common';
import { RatingRepository } from './rating.repository';

@Module({ providers: [RatingRepository], exports: [RatingRepository] })
export class RatingsModule {}
