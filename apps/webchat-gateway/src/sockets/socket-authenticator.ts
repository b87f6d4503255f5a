import { Injectable } from '@nestjs/common';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { organizationWork } from '@cxp/service-kit';
import { Turns } from '@cxp/storage';
import { ConversationRepository } from '../conversations/conversation.repository';
import { HistoryReadModel } from '../conversations/history.read-model';
import { LiveSubscriptions } from '../live/live-subscriptions';
import { SessionRepository } from '../sessions/session.repository';
import { hasExpired, SessionTokenService } from '../sessions/session-token.service';
import { WebchatSettings } from '../settings';
import type { ChatSocket, SocketSession } from './chat-socket';
import { EventCursor } from './event-cursor';

/** How long a socket that missed events waits for its turn to load them, in milliseconds. Then lost events are looked for again. */
const LATE_LOAD_TIMEOUT_MS = 30_000;

/** Verifies the tokens of sockets and connects sockets to the conversation of their session. */
@Injectable()
export class SocketAuthenticator {
  private readonly lateLoads = new Turns();
  /** The sockets of each session in this process, the oldest first. */
  private readonly sessions = new Map<string, Set<ChatSocket>>();

  constructor(
    private readonly tokens: SessionTokenService,
    private readonly sessionRepository: SessionRepository,
    private readonly conversations: ConversationRepository,
    private readonly history: HistoryReadModel,
    private readonly subscriptions: LiveSubscriptions,
    private readonly throttler: ApiThrottlerGuard,
    private readonly settings: WebchatSettings,
  ) {}

  /** @returns the session of a token; a text, why the token is not valid for a socket of this session */
  verify(sessionToken: string | undefined, sessionId: string): SocketSession | string {
    const claims = sessionToken && this.tokens.verify(sessionToken, { ignoreExpiration: true });
    if (!claims) return 'The session token is missing or not valid';
    // This includes tokens of other organizations: session ids are unique everywhere.
    if (claims.sid !== sessionId) return 'The session token is of another session';
    if (hasExpired(claims)) return 'The session token has expired';
    return {
      organizationId: claims.organization_id,
      sessionId,
      conversationId: claims.conversation_id,
      userId: claims.sub,
      expiresAt: claims.exp,
    };
  }

  /** A refreshed token that is not valid changes nothing. */
  renew(socket: ChatSocket, sessionToken: string, clientId: string | null): void {
    const session = this.verify(sessionToken, socket.session.sessionId);
    if (typeof session === 'string') socket.sendError('token_refused', session, clientId);
    else socket.renew(session);
  }

  async enter(socket: ChatSocket): Promise<void> {
    const { organizationId, sessionId, conversationId, userId, expiresAt } = socket.session;
    // However few it has at once: each new one costs statements.
    if (!(await this.throttler.isAllowed(`session:${sessionId}:socket`))) {
      socket.happens('lacksStore');
      return;
    }
    if (!(await this.sessionRepository.isLive(organizationId, sessionId))) {
      socket.happens('sessionEnds');
      return;
    }
    if (!socket.isOpen) return;
    this.replaceOldest(sessionId, socket);

    // Subscribed before the state is read: what is stored in between is published to the socket, and the cursor sends nothing twice.
    await this.subscriptions.add(organizationId, conversationId, socket);
    const state = await organizationWork.run(organizationId, () =>
      this.conversations.state(organizationId, conversationId),
    );
    if (!state) {
      socket.happens('sessionEnds');
      return;
    }
    const lastEvent = Math.min(socket.lastEvent ?? state.lastEvent, state.lastEvent);
    socket.enter(
      {
        type: 'session.ready',
        sessionId,
        conversationId,
        userId,
        sessionTokenExpiration: expiresAt,
        ...state,
      },
      this.cursorAfter(lastEvent, socket),
    );
  }

  /** Undoes `enter`, for a socket that is closed. */
  leave(socket: ChatSocket): void {
    const { organizationId, sessionId, conversationId } = socket.session;
    this.subscriptions.remove(organizationId, conversationId, socket);
    const sockets = this.sessions.get(sessionId);
    if (sockets?.delete(socket) && sockets.size === 0) this.sessions.delete(sessionId);
  }

  private replaceOldest(sessionId: string, socket: ChatSocket): void {
    const sockets = this.sessions.get(sessionId) ?? new Set();
    this.sessions.set(sessionId, sockets.add(socket));
    const [oldest] = sockets;
    if (sockets.size <= this.settings.WEBCHAT_SOCKETS_PER_SESSION) return;
    sockets.delete(oldest!);
    oldest!.happens('isReplaced');
  }

  private cursorAfter(lastEvent: number, socket: ChatSocket): EventCursor {
    const { organizationId, conversationId } = socket.session;
    const load = async (after: number, limit: number) =>
      socket.isOpen
        ? organizationWork.run(organizationId, () =>
            this.history.eventsAfter(organizationId, conversationId, after, limit),
          )
        : [];
    let isResumed = false;
    return new EventCursor(lastEvent, {
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
