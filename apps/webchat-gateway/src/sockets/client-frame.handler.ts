import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { isDependencyUnavailable } from '@cxp/storage';
import type { ClientFrameOf } from '../chat-protocol/client-frames';
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

  async handle(socket: ChatSocket, session: SocketSession, frame: ChatFrame): Promise<void> {
    const { organizationId, conversationId } = session;
    switch (frame.type) {
      case 'message.send':
        return this.sendMessage(socket, session, frame);
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
      case 'rating.submit':
        return this.submitRating(socket, session, frame);
    }
  }

  /** The acknowledgement is sent when the message is stored. A client that does not get it sends the message again. */
  private async sendMessage(
    socket: ChatSocket,
    { organizationId, conversationId }: SocketSession,
    { clientId, text }: ClientFrameOf<'message.send'>,
  ): Promise<void> {
    try {
      const { id, event, sentAt } = await this.chats.sendMessage(organizationId, conversationId, {
        clientId,
        senderType: 'customer',
        senderName: null,
        text,
      });
      socket.send({ type: 'message.accepted', clientId, id, event, sentAt });
    } catch (error) {
      this.refuse(socket, clientId, error);
    }
  }

  private async submitRating(
    socket: ChatSocket,
    { organizationId, conversationId }: SocketSession,
    { clientId, rating = null, resolution = null, feedback = null }: ClientFrameOf<'rating.submit'>,
  ): Promise<void> {
    try {
      const answer = { clientId, rating, resolution, feedback };
      const submitted = await organizationWork.run(organizationId, () =>
        this.chats.submitRating(organizationId, conversationId, answer),
      );
      if ('refused' in submitted) {
        socket.sendError(submitted.refused, REFUSALS[submitted.refused], clientId);
      } else {
        socket.send({ type: 'rating.accepted', clientId, submittedAt: submitted.submittedAt });
      }
    } catch (error) {
      this.refuse(socket, clientId, error);
    }
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
