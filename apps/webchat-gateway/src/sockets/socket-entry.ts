import { Injectable } from '@nestjs/common';
import { ConversationRepository } from '../conversations/conversation.repository';
import { LivePublisher } from '../live/live-publisher';
import { LiveSubscriptions } from '../live/live-subscriptions';
import { MessageRepository } from '../messages/message.repository';
import { CLOSE_REASONS } from './close-reasons';
import { MessageCursor } from './message-cursor';
import type { SessionSocket } from './session-socket';
import { SocketRegistry } from './socket-registry';
import { TokenAdmission, type SocketSession } from './token-admission';

/** Lets sockets into the conversation of their session token. */
@Injectable()
export class SocketEntry {
  constructor(
    private readonly admission: TokenAdmission,
    private readonly registry: SocketRegistry,
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly subscriptions: LiveSubscriptions,
    private readonly live: LivePublisher,
  ) {}

  /** A socket shows a session token: its first one, or a refreshed one. One that is refused costs an open socket nothing. */
  async present(socket: SessionSocket, sessionToken: string): Promise<void> {
    const admitted = this.admission.admit(sessionToken, socket.sessionId);
    if (!socket.session) {
      if ('code' in admitted) socket.close(admitted);
      else await this.enter(socket, admitted);
    } else if ('code' in admitted) {
      socket.sendError('token_refused', admitted.reason);
    } else {
      socket.authenticate(admitted);
      socket.send({ type: 'session.renewed', sessionTokenExpiration: admitted.expiresAt });
    }
  }

  private async enter(socket: SessionSocket, session: SocketSession): Promise<void> {
    const { organizationId, sessionId, conversationId, userId, expiresAt } = session;
    const replaced = await this.registry.enter(organizationId, sessionId, socket.id);
    if (!replaced) {
      socket.close(CLOSE_REASONS.sessionNotFound);
      return;
    }
    socket.authenticate(session);
    for (const id of replaced) this.live.replaceSocket(organizationId, conversationId, id);

    // Listening before looking: what is stored in between is announced, and what is announced is not sent twice.
    await this.subscriptions.add(organizationId, conversationId, socket);
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) {
      socket.close(CLOSE_REASONS.sessionNotFound);
      return;
    }
    const { lastSequence, read } = state;
    socket.send({
      type: 'session.ready',
      sessionId,
      conversationId,
      userId,
      sessionTokenExpiration: expiresAt,
      lastSequence,
      read,
    });
    socket.follow(
      new MessageCursor(Math.min(socket.lastSequence ?? lastSequence, lastSequence), {
        load: async (after, limit) =>
          socket.isOpen ? this.messages.listAfter(organizationId, conversationId, after, limit) : [],
        sendStored: (frame) => socket.sendStored(frame),
        sendLive: (frame) => socket.sendLive(frame),
      }),
    );
  }
}
