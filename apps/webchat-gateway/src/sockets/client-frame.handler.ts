import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { isDependencyUnavailable } from '@cxp/storage';
import type { ClientFrameOf } from '../chat-protocol/client-frames';
import type { ServerFrame } from '../chat-protocol/server-frames';
import { ChatService } from '../conversations/chat.service';
import { LivePublisher } from '../live/live-publisher';
import type { ChatFrame, ChatSocket, SocketSession } from './chat-socket';
import { organizationWork } from '@cxp/service-kit';

const REFUSALS = {
  rating_not_requested: 'No rating was requested',
  rating_already_submitted: 'The request has another answer',
};

/** Acts on the frames of customers. */
@Injectable()
export class ClientFrameHandler {
  constructor(
    private readonly chats: ChatService,
    private readonly live: LivePublisher,
  ) {}

  /** A message or rating is acknowledged when it is stored. A client that gets no acknowledgement sends it again. */
  async handle(socket: ChatSocket, session: SocketSession, frame: ChatFrame): Promise<void> {
    const { organizationId, conversationId } = session;
    switch (frame.type) {
      case 'typing':
        return this.live.publishTyping(organizationId, conversationId, {
          senderType: 'customer',
          senderName: null,
          active: frame.active,
        });
      case 'read':
        return organizationWork.run(organizationId, () =>
          this.chats.markRead(organizationId, conversationId, 'customer', frame.upTo),
        );
      case 'message.send':
      case 'rating.submit':
        try {
          socket.send(await this.store(session, frame));
        } catch (error) {
          this.refuse(socket, frame.clientId, error);
        }
    }
  }

  private async store(
    { organizationId, conversationId }: SocketSession,
    frame: ClientFrameOf<'message.send'> | ClientFrameOf<'rating.submit'>,
  ): Promise<ServerFrame> {
    const { clientId } = frame;
    if (frame.type === 'message.send') {
      const message = { clientId, senderType: 'customer', senderName: null, text: frame.text } as const;
      const { id, event, sentAt } = await this.chats.sendMessage(organizationId, conversationId, message);
      return { type: 'message.accepted', clientId, id, event, sentAt };
    }
    const { rating = null, resolution = null, feedback = null } = frame;
    const submitted = await organizationWork.run(organizationId, () =>
      this.chats.submitRating(organizationId, conversationId, { clientId, rating, resolution, feedback }),
    );
    return 'refused' in submitted
      ? { type: 'error', code: submitted.refused, message: REFUSALS[submitted.refused], clientId }
      : { type: 'rating.accepted', clientId, submittedAt: submitted.submittedAt };
  }

  /** @throws the error, if it is none that the client can act on */
  private refuse(socket: ChatSocket, clientId: string, error: unknown): void {
    if (isDependencyUnavailable(error)) {
      socket.sendError('try_again', 'Not stored: send it again later', clientId);
    } else if (error instanceof ProblemError && error.problem.code === 'resource_not_found') {
      socket.sendError('conversation_not_found', 'The conversation is gone', clientId);
    } else {
      throw error;
    }
  }
}
