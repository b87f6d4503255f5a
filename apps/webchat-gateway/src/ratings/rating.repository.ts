import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { jsonColumn, nullable, Statement, textColumn } from '@cxp/storage';
import type { ChatEventOf } from '../chat-protocol/events';
import type { Rating } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { CLOCK, nextChange } from '../conversations/conversation-change';
import { queueDelivery } from '../conversations/queue-delivery';
import { EVENT_FRAME, eventValues, frameTime } from '../conversations/stored-event';
import { WebchatSettings } from '../settings';

/** An answer of the customer. Sending it again with its `clientId` is harmless. */
export interface NewRating extends Rating {
  readonly clientId: string;
}

/** An answer that is stored, with its event unless one with its `clientId` was stored before; or why it is not stored. */
export type Submitted =
  | { readonly submittedAt: string; readonly event?: ChatEventOf<'rating'> }
  | { readonly refused: 'rating_not_requested' | 'rating_already_submitted' };

const LOCK_CONVERSATION = new Statement(
  {},
  `SELECT 1 FROM webchat.conversation WHERE organization_id = $1 AND id = $2 FOR UPDATE`,
);

const FIND_REQUESTS = new Statement(
  {
    clientId: nullable(textColumn('client_id')),
    submittedAt: nullable(textColumn(frameTime('submitted_at'))),
  },
  (list) => `SELECT ${list} FROM webchat.rating WHERE organization_id = $1 AND conversation_id = $2`,
);

/** Answers the latest open request. Returns no row if no request is open. */
const ANSWER_REQUEST = new Statement(
  { frame: jsonColumn<ChatEventOf<'rating'>>('frame') },
  (list) => `
  WITH clock AS MATERIALIZED (SELECT ${CLOCK} AS now), request AS (
    SELECT max(request_event) AS request_event FROM webchat.rating
    WHERE organization_id = $1 AND conversation_id = $2 AND event IS NULL
  ), conversation AS (
    UPDATE webchat.conversation
    SET last_event = last_event + 1, is_delivered = is_delivered OR $7, updated_at = ${nextChange('clock.now')}
    FROM clock CROSS JOIN request
    WHERE organization_id = $1 AND id = $2 AND request.request_event IS NOT NULL
    RETURNING organization_id, id, last_event, updated_at, request.request_event
  ), rating AS (
    UPDATE webchat.rating
    SET event = conversation.last_event, submitted_at = conversation.updated_at,
        client_id = $3, rating = $4, resolution = $5, feedback = $6
    FROM conversation
    WHERE rating.organization_id = $1 AND rating.conversation_id = conversation.id
      AND rating.request_event = conversation.request_event
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, type, payload)
    SELECT organization_id, id, last_event, ${eventValues('rating', {
      request: 'request_event',
      clientId: '$3::text',
      rating: '$4::smallint',
      resolution: '$5::smallint',
      feedback: '$6::text',
      submittedAt: frameTime('updated_at'),
    })}
    FROM conversation
    RETURNING ${EVENT_FRAME} AS frame
  ), change AS (
    ${queueDelivery('conversation WHERE $7', 'id', 'last_event - 1')}
  )
  SELECT ${list} FROM event`,
);

@Injectable()
export class RatingRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Stores the answer to the latest open request, with its event, its conversation's change, and queues their delivery.
   * @throws ProblemError when the organization has no such conversation
   */
  submit(
    organizationId: string,
    conversationId: string,
    { clientId, rating, resolution, feedback }: NewRating,
  ): Promise<Submitted> {
    return this.manager.transaction(async (manager) => {
      const key = [organizationId, conversationId];
      // Locked by a statement of its own: the following ones see every answer that came before.
      if (!(await LOCK_CONVERSATION.first(manager, key))) throw conversationNotFound(conversationId);

      const requests = await FIND_REQUESTS.run(manager, key);
      const known = requests.find((request) => request.clientId === clientId);
      if (known?.submittedAt) return { submittedAt: known.submittedAt };
      if (requests.length === 0) return { refused: 'rating_not_requested' };

      const stored = await ANSWER_REQUEST.first(manager, [
        ...key,
        clientId,
        rating,
        resolution,
        feedback,
        this.settings.deliversRecords,
      ]);
      if (!stored) return { refused: 'rating_already_submitted' };
      return { submittedAt: stored.frame.submittedAt, event: stored.frame };
    });
  }
}
