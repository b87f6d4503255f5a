import { Injectable } from '@nestjs/common';
import { LivePublisher } from '../live/live-publisher';
import { RatingRepository, type NewRating, type Submitted } from './rating.repository';

@Injectable()
export class RatingService {
  constructor(
    private readonly ratings: RatingRepository,
    private readonly live: LivePublisher,
  ) {}

  /** Stores the answer to the latest open rating request and publishes it to the conversation's sockets. */
  async submit(organizationId: string, conversationId: string, answer: NewRating): Promise<Submitted> {
    const submitted = await this.ratings.submit(organizationId, conversationId, answer);
    if (submitted.outcome === 'stored') {
      this.live.publishEvent(organizationId, conversationId, submitted.event);
    }
    return submitted;
  }
}
