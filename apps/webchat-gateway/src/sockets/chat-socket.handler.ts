import { Injectable, Logger } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { isVisibleText } from '@cxp/identifiers';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { isDependencyUnavailable, KeyedLimit } from '@cxp/storage';
import { clientIdOf, type ClientFrame, type ClientFrameOf } from '../chat-protocol/client-frames';
import { TYPING_REPEATED_MS } from '../chat-protocol/limits';
import type { ServerFrame } from '../chat-protocol/server-frames';
import { ChatService } from '../conversations/chat.service';
import { ConversationRepository } from '../conversations/conversation.repository';
import { HistoryReadModel } from '../conversations/history.read-model';
import { LivePublisher, LiveSubscriptions } from '../live/live-events';
import { SessionRepository } from '../sessions/session.repository';
import { SessionService, type SessionOfToken } from '../sessions/session.service';
import { WebchatSettings } from '../settings';
import type { ChatSocket, SocketHandler } from './chat-socket';
import { EventCursor } from './event-cursor';

/** Milliseconds that a socket waits in the queue to load missed events; then `deliverLostEvents` retries. */
const LATE_LOAD_TIMEOUT_MS = 30_000;

/** Sockets of an organization that are opened at once; the others of a storm wait, for less than a client does. */
export const OPENINGS_AT_ONCE = 20;
export const OPENING_WAIT_MS = 8_000;

const REFUSALS = {
  rating_not_requested: 'No rating was requested',
  rating_already_submitted: 'The request has another answer',
};

const TOKEN_REFUSALS = {
  missing_header: 'There is no session token',
  unknown_token: 'The session token is not valid',
  expired_token: 'The session token has expired',
  other_session: 'The session token is of another session',
};

/** What this process knows of a session that has sockets here. */
interface SessionState {
  readonly sockets: Set<ChatSocket>;
  isTyping: boolean;
  /** The time when that was published. */
  typingSentAt: number;
}

/** Calls for one socket are sequential, except renewals. */
@Injectable()
export class ChatSocketHandler implements SocketHandler {
  private readonly logger = new Logger(ChatSocketHandler.name);
  private readonly lateEventLoads = new KeyedLimit({
    places: 1,
    waitMs: LATE_LOAD_TIMEOUT_MS,
    maxWaiting: Infinity,
  });
  private readonly openings = new KeyedLimit({
    places: OPENINGS_AT_ONCE,
    waitMs: OPENING_WAIT_MS,
    maxWaiting: Infinity,
  });
  private readonly sessions = new Map<string, SessionState>();

  constructor(
    private readonly sessionService: SessionService,
    private readonly sessionRepository: SessionRepository,
    private readonly conversations: ConversationRepository,
    private readonly chats: ChatService,
    private readonly history: HistoryReadModel,
    private readonly live: LivePublisher,
    private readonly subscriptions: LiveSubscriptions,
    private readonly throttler: ApiThrottlerGuard,
    private readonly settings: WebchatSettings,
  ) {}

  /** @returns the token's session, or why it is refused for a socket of this session */
  verify(token: string | undefined, sessionId: string): SessionOfToken | keyof typeof TOKEN_REFUSALS {
    if (token === undefined) return 'missing_header';
    const session = this.sessionService.ofToken(token);
    // Session ids are globally unique, so this refuses tokens of other organizations, too.
    return typeof session === 'string' || session.sessionId === sessionId ? session : 'other_session';
  }

  /** Called once, first. */
  onOpened(socket: ChatSocket): Promise<void> {
    return this.openings.run(socket.session.organizationId, () => this.open(socket));
  }

  private async open(socket: ChatSocket): Promise<void> {
    if (!socket.isOpen) return;
    const { organizationId, sessionId, conversationId, userId, expiresAt } = socket.session;
    const [isAllowed, isLive] = await Promise.all([
      // Limits new sockets, because each costs statements.
      this.throttler.isAllowed(`session:${sessionId}:socket`),
      this.sessionRepository.isLive(organizationId, sessionId),
    ]);
    if (!isAllowed) {
      socket.close('unavailable');
      return;
    }
    if (!isLive) {
      socket.close('sessionGone');
      return;
    }
    if (!socket.isOpen) return;
    this.replaceOldest(sessionId, socket);

    // Subscribes before reading the state, so that no event is missed; the cursor drops duplicates.
    await this.subscriptions.add(organizationId, conversationId, socket);
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) {
      // Redis lost its last second, or PostgreSQL was restored: otherwise the user would get this session again.
      await this.sessionRepository.endOf(organizationId, conversationId);
      socket.close('sessionGone');
      return;
    }
    const lastEvent = Math.min(socket.lastEvent ?? state.lastEvent, state.lastEvent);
    const session = { sessionId, conversationId, userId, sessionTokenExpiration: expiresAt };
    const ready = { type: 'session.ready', ...session, ...state } as const;
    socket.enter(ready, this.cursorAfter(lastEvent, socket));
  }

  /** Messages and ratings are acknowledged once stored. A client repeats what is not acknowledged. */
  async onFrame(socket: ChatSocket, frame: ClientFrame): Promise<void> {
    const { organizationId, conversationId } = socket.session;
    switch (frame.type) {
      case 'authenticate':
        return this.onAuthenticate(socket, frame);
      case 'typing':
        return this.onTyping(socket, frame.active);
      case 'read':
        return this.chats.markRead(organizationId, conversationId, 'customer', frame.upTo);
      case 'message.send':
      case 'rating.submit':
        try {
          socket.send(await this.store(socket.session, frame));
        } catch (error) {
          if (isDependencyUnavailable(error)) {
            socket.sendError('try_again', 'Not stored: send it again later', frame.clientId);
          } else if (error instanceof ProblemError && error.problem.code === 'resource_not_found') {
            socket.sendError('conversation_not_found', 'The conversation is gone', frame.clientId);
          } else {
            throw error;
          }
        }
    }
  }

  /** Called at once after `onOpened`: a renewal must not expire behind frames that are being stored. */
  onAuthenticate(socket: ChatSocket, frame: ClientFrameOf<'authenticate'>): void {
    const session = this.verify(frame.sessionToken, socket.session.sessionId);
    if (typeof session !== 'string') socket.renew(session);
    else socket.sendError('token_refused', TOKEN_REFUSALS[session], clientIdOf(frame));
  }

  /** Called once, last. */
  onClosed(socket: ChatSocket): void {
    const { organizationId, sessionId, conversationId } = socket.session;
    this.subscriptions.remove(organizationId, conversationId, socket);
    const sockets = this.sessions.get(sessionId)?.sockets;
    if (sockets?.delete(socket) && sockets.size === 0) this.sessions.delete(sessionId);
  }

  /** Called when another call fails. */
  onFailure(socket: ChatSocket, error: unknown): void {
    if (isDependencyUnavailable(error)) {
      this.logger.warn(`a socket is closed: ${String(error)}`);
      socket.close('unavailable');
    } else {
      this.logger.error(error);
      socket.close('failed');
    }
  }

  /** Clients say it with each key. */
  private onTyping({ id, session }: ChatSocket, active: boolean): void {
    const { organizationId, sessionId, conversationId } = session;
    const state = this.sessions.get(sessionId);
    const now = Date.now();
    if (!state || (state.isTyping === active && now - state.typingSentAt < TYPING_REPEATED_MS)) return;
    Object.assign(state, { isTyping: active, typingSentAt: now });
    const typing = { senderType: 'customer', senderName: null, active } as const;
    this.live.publishTyping(organizationId, conversationId, typing, id);
  }

  private async store(
    { organizationId, conversationId }: SessionOfToken,
    frame: ClientFrameOf<'message.send'> | ClientFrameOf<'rating.submit'>,
  ): Promise<ServerFrame> {
    const { clientId } = frame;
    if (frame.type === 'message.send') {
      const message = { clientId, senderType: 'customer', senderName: null, text: frame.text } as const;
      const { id, event, sentAt } = await this.chats.sendMessage(organizationId, conversationId, message);
      return { type: 'message.accepted', clientId, id, event, sentAt };
    }
    const { rating = null, resolution = null, feedback = null } = frame;
    const submitted = await this.chats.submitRating(organizationId, conversationId, {
      clientId,
      rating,
      resolution,
      feedback: isVisibleText(feedback ?? '') ? feedback : null,
    });
    return 'refused' in submitted
      ? { type: 'error', code: submitted.refused, message: REFUSALS[submitted.refused], clientId }
      : { type: 'rating.accepted', clientId, submittedAt: submitted.submittedAt };
  }

  private replaceOldest(sessionId: string, socket: ChatSocket): void {
    const state = this.sessions.get(sessionId) ?? { sockets: new Set(), isTyping: false, typingSentAt: 0 };
    this.sessions.set(sessionId, state);
    const sockets = state.sockets.add(socket);
    const [oldest] = sockets;
    if (sockets.size <= this.settings.WEBCHAT_SOCKETS_PER_SESSION) return;
    sockets.delete(oldest!);
    oldest!.close('replaced');
  }

  private cursorAfter(lastEvent: number, socket: ChatSocket): EventCursor {
    const { organizationId, conversationId } = socket.session;
    const load = async (after: number, limit: number) =>
      socket.isOpen ? this.history.eventsAfter(organizationId, conversationId, after, limit) : [];
    let isResumed = false;
    return new EventCursor(lastEvent, {
      load: async (after, limit) => {
        // After a fault of Redis thousands of sockets may load events: requests must not wait for all of them.
        if (isResumed) {
          return this.lateEventLoads.run(organizationId, () => load(after, limit));
        }
        isResumed = true;
        return load(after, limit);
      },
      sendStored: (event) => socket.sendStored(JSON.stringify(event)),
      untilRead: () => socket.untilRead(),
      sendFrame: (frame) => socket.sendText(frame),
    });
  }
}
