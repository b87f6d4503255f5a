import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GroupCommit } from '@cxp/storage';
import type { Message } from '../chat-protocol/shapes';
import { LivePublisher } from '../live/live-publisher';
import { MessageRepository, type Appended, type NewMessage, type SentMessage } from './message.repository';

/** Messages that one statement stores at most, and such statements of one organization at a time: few messages wait for others. */
const MAX_MESSAGES = 64;
const MAX_COMMITS = 4;

/**
 * Stores messages as they come. Those of an organization that come while its statements are under way are stored together by
 * the next one: one commit for all of them. A message that would have to wait (its conversation is locked), or that was stored
 * before, is stored by a statement of its own and holds up no other.
 */
@Injectable()
export class MessageService {
  private readonly commits: GroupCommit<SentMessage & { readonly organizationId: string }, Appended>;

  constructor(
    messages: MessageRepository,
    private readonly live: LivePublisher,
  ) {
    this.commits = new GroupCommit({
      maxItems: MAX_MESSAGES,
      maxCommits: MAX_COMMITS,
      groupOf: ({ organizationId }) => organizationId,
      keyOf: ({ conversationId }) => conversationId,
      commit: (sent) => messages.appendTogether(sent[0]!.organizationId, sent),
      commitAlone: ({ organizationId, conversationId, message }) =>
        messages.append(organizationId, conversationId, message),
    });
  }

  /**
   * Stores a message and publishes it to the conversation's sockets. A message that was sent before is returned as it was
   * stored.
   * @throws ProblemError when the organization has no such conversation, or the id belongs to another one's message
   */
  async send(
    organizationId: string,
    conversationId: string,
    { id = randomUUID(), ...message }: Omit<NewMessage, 'id'> & { readonly id?: string },
  ): Promise<Message> {
    const sent = { organizationId, conversationId, message: { id, ...message } };
    const stored = await this.commits.add(sent);
    this.live.publishEvent(organizationId, conversationId, stored.event);
    return stored.message;
  }
}
