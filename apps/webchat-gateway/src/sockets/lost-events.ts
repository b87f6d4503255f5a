import { Injectable } from '@nestjs/common';
import { ConversationRepository } from '../conversations/conversation.repository';
import type { ChatSocket } from './chat-socket';

/** Conversations that one statement looks up. */
const CHUNK = 1_000;

/** Delivers events that are stored but were not published, for instance because a process was killed in between. */
@Injectable()
export class LostEvents {
  constructor(private readonly conversations: ConversationRepository) {}

  /** Tells each socket the last event of its conversation: one that has it already does nothing. */
  async tell(sockets: Iterable<ChatSocket>): Promise<void> {
    const byConversation = new Map<string, ChatSocket[]>();
    for (const socket of sockets) {
      if (!socket.session) continue;
      const { conversationId } = socket.session;
      const others = byConversation.get(conversationId);
      if (others) others.push(socket);
      else byConversation.set(conversationId, [socket]);
    }
    const conversations = [...byConversation.values()].map(([socket]) => socket!.session!);
    for (let start = 0; start < conversations.length; start += CHUNK) {
      const found = await this.conversations.lastEvents(conversations.slice(start, start + CHUNK));
      for (const { conversationId, event } of found) {
        for (const socket of byConversation.get(conversationId)!) {
          socket.onStored(event);
        }
      }
    }
  }
}
