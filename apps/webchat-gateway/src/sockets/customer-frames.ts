import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { isDependencyUnavailable } from '@cxp/storage';
import { ConversationSignals } from '../conversations/conversation-signals';
import { MessageService } from '../messages/message.service';
import type { AuthenticateFrame, ClientFrame, SendMessageFrame } from './frames';
import type { SessionSocket } from './session-socket';
import type { SocketSession } from './token-admission';

/** Acts on what customers send. */
@Injectable()
export class CustomerFrames {
  constructor(
    private readonly messages: MessageService,
    private readonly signals: ConversationSignals,
  ) {}

  async act(
    socket: SessionSocket,
    session: SocketSession,
    frame: Exclude<ClientFrame, AuthenticateFrame>,
  ): Promise<void> {
    const { organizationId, conversationId } = session;
    switch (frame.type) {
      case 'message.send':
        return this.sendMessage(socket, session, frame);
      case 'typing':
        return this.signals.typing(organizationId, conversationId, {
          senderType: 'customer',
          senderName: null,
          active: frame.active,
        });
      case 'read':
        return this.signals.read(organizationId, conversationId, 'customer', frame.sequence);
    }
  }

  /** Acknowledges after the message is stored; a client that does not hear of it sends it again. */
  private async sendMessage(
    socket: SessionSocket,
    { organizationId, conversationId }: SocketSession,
    { clientId, text }: SendMessageFrame,
  ): Promise<void> {
    try {
      const { id, sequence, sentAt } = await this.messages.send(organizationId, conversationId, {
        clientId,
        senderType: 'customer',
        senderName: null,
        text,
      });
      socket.send({ type: 'message.accepted', clientId, id, sequence, sentAt });
    } catch (error) {
      if (isDependencyUnavailable(error)) {
        socket.sendError('try_again', 'Not stored: send it again later', clientId);
      } else if (error instanceof ProblemError && error.problem.code === 'resource_not_found') {
        socket.sendError('conversation_not_found', 'The conversation is gone', clientId);
      } else {
        throw error;
      }
    }
  }
}
