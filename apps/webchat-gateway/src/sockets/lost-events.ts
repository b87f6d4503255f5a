import { Injectable } from '@nestjs/common';
import { CLOSE_REASONS } from '../chat-protocol/close-reasons';
import { ConversationRepository } from '../conversations/conversation.repository';
import type { ChatSocket } from './chat-socket';

/** Sockets whose conversations one statement looks up. */
const CHUNK = 1_000;

/**
 * Delivers events that are stored but were not published, for instance because a process was killed in between. Closes sockets whose
 * conversation was erased.
 */
@Injectable()
export class LostEvents {
  constructor(private readonly conversations: ConversationRepository) {}

  /** Tells each socket the last event of its conversation: one that has it already does nothing. */
  async tell(sockets: Iterable<ChatSocket>): Promise<void> {
    const told = [...sockets].flatMap((socket) => (socket.session ? [{ socket, ...socket.session }] : []));
    for (let start = 0; start < told.length; start += CHUNK) {
      const chunk = told.slice(start, start + CHUNK);
      const lastEvents = await this.conversations.lastEvents(chunk);
      for (const { socket, conversationId } of chunk) {
        const last = lastEvents.get(conversationId);
        if (last === undefined) socket.close(CLOSE_REASONS.sessionNotFound);
        else socket.onStored(last);
      }
    }
  }
}
