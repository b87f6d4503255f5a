import { Injectable } from '@nestjs/common';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { Turns } from '@cxp/storage';
import { CLOSE_REASONS, type CloseReason } from '../chat-protocol/close-reasons';
import { ConversationRepository, type ConversationState } from '../conversations/conversation.repository';
import { HistoryReadModel } from '../conversations/history.read-model';
import { LivePublisher } from '../live/live-publisher';
import { LiveSubscriptions } from '../live/live-subscriptions';
import { hasExpired, SessionTokenService } from '../sessions/session-token.service';
import type { ChatSocket, SocketSession } from './chat-socket';
import { EventCursor } from './event-cursor';
import { SessionSockets } from './session-sockets';
import { organizationWork } from '@cxp/service-kit';

/** How long a socket that missed events waits for its turn to load them, in milliseconds. Then `LostEvents` tries again. */
const LATE_LOAD_TIMEOUT_MS = 30_000;

/** Authenticates sockets by session tokens and connects them to the conversation of their session. */
@Injectable()
export class SocketAuthenticator {
  private readonly lateLoads = new Turns();

  constructor(
    private readonly tokens: SessionTokenService,
    private readonly sessionSockets: SessionSockets,
    private readonly conversations: ConversationRepository,
    private readonly history: HistoryReadModel,
    private readonly subscriptions: LiveSubscriptions,
    private readonly live: LivePublisher,
    private readonly throttler: ApiThrottlerGuard,
  ) {}

  /**
   * A socket presents its first session token, or a refreshed one. The first one has to be valid, else the socket is
   * closed. A refreshed one that is not valid changes nothing.
   */
  async present(socket: ChatSocket, sessionToken: string, clientId: string | null): Promise<void> {
    const checked = this.check(sessionToken, socket.request.sessionId);
    if (!socket.session) {
      if ('code' in checked) socket.close(checked);
      else await this.enter(socket, checked);
    } else if ('code' in checked) {
      socket.sendError('token_refused', checked.reason, clientId);
    } else {
      socket.authenticate(checked);
      socket.send({ type: 'session.renewed', sessionTokenExpiration: checked.expiresAt });
    }
  }

  /** Undoes what `present` did, for a socket that is closed. */
  async leave(socket: ChatSocket): Promise<void> {
    if (!socket.session) return;
    const { organizationId, sessionId, conversationId } = socket.session;
    this.subscriptions.remove(organizationId, conversationId, socket);
    await this.sessionSockets.remove(organizationId, sessionId, socket.id);
  }

  /** @returns the session of the token, or why the token is not valid for a socket of this session */
  private check(sessionToken: string, sessionId: string): SocketSession | CloseReason {
    const claims = this.tokens.verify(sessionToken, { ignoreExpiration: true });
    if (!claims) return CLOSE_REASONS.notAuthenticated;
    // This includes tokens of other organizations: session ids are unique everywhere.
    if (claims.sid !== sessionId) return CLOSE_REASONS.otherSession;
    if (hasExpired(claims)) return CLOSE_REASONS.sessionExpired;
    return {
      organizationId: claims.organization_id,
      sessionId,
      conversationId: claims.conversation_id,
      userId: claims.sub,
      expiresAt: claims.exp,
    };
  }

  private async enter(socket: ChatSocket, session: SocketSession): Promise<void> {
    const { organizationId, sessionId, conversationId, userId, expiresAt } = session;
    // However few it has at once: each new one costs statements.
    if (!(await this.throttler.isAllowed(`session:${sessionId}:socket`))) {
      socket.close(CLOSE_REASONS.tryAgainLater);
      return;
    }
    const replaced = await this.sessionSockets.add(organizationId, sessionId, socket.id);
    if (!replaced) {
      socket.close(CLOSE_REASONS.sessionNotFound);
      return;
    }
    socket.authenticate(session);
    for (const id of replaced) this.live.replaceSocket(organizationId, conversationId, id);

    // Subscribed before the state is read: what is stored in between is published to the socket, and the cursor sends nothing twice.
    await this.subscriptions.add(organizationId, conversationId, socket);
    const state = await organizationWork.run(organizationId, () =>
      this.conversations.state(organizationId, conversationId),
    );
    if (!state) {
      socket.close(CLOSE_REASONS.sessionNotFound);
      return;
    }
    socket.send({
      type: 'session.ready',
      sessionId,
      conversationId,
      userId,
      sessionTokenExpiration: expiresAt,
      ...state,
    });
    socket.follow(this.cursorOf(socket, session, state));
  }

  /** Starts after the last event that the client has. Without one the client gets only what happens from now on. */
  private cursorOf(socket: ChatSocket, session: SocketSession, state: ConversationState): EventCursor {
    const { organizationId, conversationId } = session;
    const { lastEvent = state.lastEvent } = socket.request;
    const load = async (after: number, limit: number) =>
      socket.isOpen
        ? organizationWork.run(organizationId, () =>
            this.history.eventsAfter(organizationId, conversationId, after, limit),
          )
        : [];
    let isResumed = false;
    return new EventCursor(Math.min(lastEvent, state.lastEvent), {
      load: async (after, limit) => {
        // After a fault of Redis, thousands of sockets may have missed events: requests must not wait for all their loads.
        if (isResumed) {
          return this.lateLoads.run(organizationId, LATE_LOAD_TIMEOUT_MS, () => load(after, limit));
        }
        isResumed = true;
        return load(after, limit);
      },
      sendStored: (event) => socket.sendStored(JSON.stringify(event)),
      sendLive: (frame) => socket.sendLive(frame),
    });
  }
}
