import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { isDependencyUnavailable } from '@cxp/storage';
import { clientIdOf, parseClientFrame, type ClientFrame } from '../chat-protocol/client-frames';
import { CLOSE_REASONS, type CloseReason } from '../chat-protocol/close-reasons';
import {
  AUTHENTICATION_TIMEOUT_MS,
  EXPIRY_WARNING_SECONDS,
  MAX_CONTROL_FRAMES_PER_SECOND,
  MAX_REFUSED_FRAME_VALUES,
  PING_INTERVAL_MS,
} from '../chat-protocol/limits';
import type { ErrorCode, ServerFrame } from '../chat-protocol/server-frames';
import type { LiveEvent } from '../live/live-event';
import type { LiveListener } from '../live/live-subscriptions';
import type { EventCursor } from './event-cursor';
import { OutgoingFrames } from './outgoing-frames';
import type { SocketRequest } from './socket-request';

/** Frames of one socket that may wait for their turn. Then the socket is not read until they are done. */
const MAX_WAITING_FRAMES = 32;

/** A client that sends so many times more frames than it may is closed and no longer answered. */
const FLOOD_FACTOR = 5;

/** The session that a socket is authenticated for. */
export interface SocketSession {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  /** Unix epoch seconds. */
  readonly expiresAt: number;
}

export type ChatFrame = Exclude<ClientFrame, { readonly type: 'authenticate' }>;

/** Acts on what happens on a socket. The calls for one socket come one after the other. */
export interface SocketHandler {
  /** @param clientId of the frame with the token, for an `error` frame about it */
  onToken(socket: ChatSocket, sessionToken: string, clientId: string | null): Promise<void>;
  onFrame(socket: ChatSocket, session: SocketSession, frame: ChatFrame): Promise<void>;
  /** Called once, after all other calls for the socket. */
  onClosed(socket: ChatSocket, code: number): Promise<void>;
  /** Called when another call fails. */
  onFailure(socket: ChatSocket, error: unknown): void;
}

/** One client's socket: its frames are acted on in their order, one at a time, within limits. */
export class ChatSocket implements LiveListener {
  readonly id = randomUUID();
  /** Undefined until the socket is authenticated. */
  session: SocketSession | undefined;
  /** Until then the socket can do nothing but present a token. Set by the socket only. */
  hasPresentedToken = false;
  private cursor: EventCursor | undefined;
  private readonly outgoing: OutgoingFrames;
  private readonly rate: FrameRate;
  /** Of pings, and of pongs that answer none. */
  private readonly controlRate = new FrameRate(MAX_CONTROL_FRAMES_PER_SECOND / FLOOD_FACTOR);
  private work: Promise<void> = Promise.resolve();
  private waitingFrames = 0;
  private isWarned = false;
  private isAnswering = true;
  private readonly openedAt = Date.now();
  private pingAt = this.openedAt + PING_INTERVAL_MS;

  constructor(
    private readonly socket: WebSocket,
    stream: Duplex,
    readonly request: SocketRequest,
    framesPerSecond: number,
    private readonly handler: SocketHandler,
  ) {
    // A frame that breaks the protocol or is too large: ws closes the socket with the code for it.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.enqueue(() => handler.onClosed(this, code)));
    socket.on('ping', () => this.receiveControlFrame());
    socket.on('pong', () => (this.isAnswering = true));
    socket.on('message', (data, isBinary) => this.receive(data, isBinary));
    this.rate = new FrameRate(framesPerSecond);
    this.outgoing = new OutgoingFrames(socket, stream, {
      onOverflow: () => this.close(CLOSE_REASONS.slowConsumer),
      onUnaskedPong: () => this.receiveControlFrame(),
    });
    if (request.sessionToken) this.presentToken(request.sessionToken, null);
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Resolves when everything that has been received so far was acted on. */
  settled(): Promise<void> {
    return this.work;
  }

  /** The socket acts for this session from now on; or still does, with a refreshed token. */
  authenticate(session: SocketSession): void {
    this.session = session;
    this.isWarned = false;
  }

  /** Delivers events from here on, first those that are stored already. */
  follow(cursor: EventCursor): void {
    this.cursor = cursor;
    cursor.loadAll().catch((error: unknown) => this.handler.onFailure(this, error));
  }

  send(frame: ServerFrame): void {
    this.sendLive(JSON.stringify(frame));
  }

  sendError(code: ErrorCode, message: string, clientId: string | null): void {
    this.send({ type: 'error', code, message, clientId });
  }

  /** Sends what just happened. A client that does not keep up is closed, and can resume where it stopped. */
  sendLive(frame: string): void {
    if (this.isOpen) this.outgoing.send(frame);
  }

  /** Sends what was stored before. Resolves when the client can read more. */
  async sendStored(frame: string): Promise<void> {
    this.sendLive(frame);
    await this.outgoing.drained();
  }

  close({ code, reason }: CloseReason): void {
    this.socket.close(code, reason);
  }

  onEvent(event: LiveEvent): void {
    switch (event.kind) {
      case 'event':
        return this.deliver((cursor) => cursor.onEvent(event.event, event.frame));
      case 'signal':
        return this.sendLive(event.frame);
      case 'replaced':
        if (event.socketId === this.id) this.close(CLOSE_REASONS.tooManySockets);
        return;
      case 'ended':
        this.close(CLOSE_REASONS.sessionNotFound);
    }
  }

  /** There are stored events up to this number. */
  onStored(event: number): void {
    this.deliver((cursor) => cursor.onStored(event));
  }

  /** Does what is due at this time. Called every second. */
  tick(nowMs: number): void {
    const overdue = this.overdue(nowMs);
    if (overdue) {
      this.close(overdue);
      return;
    }
    this.warnOfExpiry(nowMs);
    this.pingWhenDue(nowMs);
  }

  private receive(data: RawData, isBinary: boolean): void {
    const now = Date.now();
    this.isAnswering = true;
    if (!this.isOpen) return;
    const verdict = this.rate.count(now);
    if (isBinary) this.close(CLOSE_REASONS.binaryFrame);
    else if (verdict === 'flood') this.close(CLOSE_REASONS.tooManyFrames);
    else if (this.hasExpired(now)) this.close(CLOSE_REASONS.sessionExpired);
    else if (verdict === 'too_many') this.refuseFrame((data as Buffer).toString());
    else this.receiveFrame((data as Buffer).toString());
  }

  private receiveControlFrame(): void {
    if (this.isOpen && this.controlRate.count(Date.now()) === 'flood') {
      this.close(CLOSE_REASONS.tooManyFrames);
    }
  }

  /** To parse a frame may cost more than to act on it: of one beyond the rate only its name for the client is looked for. */
  private refuseFrame(text: string): void {
    const clientId = clientIdOf(parseClientFrame(text, MAX_REFUSED_FRAME_VALUES));
    this.sendError('rate_limited', 'Too many frames: send it again later', clientId);
  }

  private receiveFrame(text: string): void {
    const frame = parseClientFrame(text);
    const isToken = !('invalid' in frame) && frame.type === 'authenticate';
    if (!this.hasPresentedToken && !isToken) {
      this.close(CLOSE_REASONS.notAuthenticated);
    } else if ('invalid' in frame) {
      this.sendError('invalid_frame', frame.invalid, frame.clientId);
    } else if (frame.type === 'authenticate') {
      this.presentToken(frame.sessionToken, clientIdOf(frame));
    } else {
      this.enqueue(async () => {
        if (this.session) await this.handler.onFrame(this, this.session, frame);
      });
    }
  }

  private presentToken(sessionToken: string, clientId: string | null): void {
    this.hasPresentedToken = true;
    this.enqueue(() => this.handler.onToken(this, sessionToken, clientId));
  }

  /** Does something in its turn: after what was received before, before what is received later. */
  private enqueue(task: () => Promise<void>): void {
    this.waitingFrames += 1;
    if (this.waitingFrames === MAX_WAITING_FRAMES) this.socket.pause();
    this.work = this.work
      .then(task)
      .catch((error: unknown) => this.handler.onFailure(this, error))
      .finally(() => {
        this.waitingFrames -= 1;
        if (this.waitingFrames === 0 && this.socket.isPaused) this.socket.resume();
      });
  }

  private deliver(step: (cursor: EventCursor) => Promise<void>): void {
    if (!this.cursor) return;
    step(this.cursor).catch((error: unknown) => {
      // While PostgreSQL is not available, the events are late: `LostEvents` delivers them.
      if (!isDependencyUnavailable(error)) this.handler.onFailure(this, error);
    });
  }

  private overdue(nowMs: number): CloseReason | undefined {
    if (this.hasExpired(nowMs)) return CLOSE_REASONS.sessionExpired;
    const isLate = !this.session && nowMs >= this.openedAt + AUTHENTICATION_TIMEOUT_MS;
    return isLate ? CLOSE_REASONS.authenticationTimeout : undefined;
  }

  private hasExpired(nowMs: number): boolean {
    return this.session !== undefined && nowMs >= this.session.expiresAt * 1_000;
  }

  private warnOfExpiry(nowMs: number): void {
    if (!this.session || this.isWarned) return;
    const { expiresAt } = this.session;
    if (nowMs < (expiresAt - EXPIRY_WARNING_SECONDS) * 1_000) return;
    this.isWarned = true;
    this.send({ type: 'session.expiring', sessionTokenExpiration: expiresAt });
  }

  private pingWhenDue(nowMs: number): void {
    if (nowMs < this.pingAt || !this.isOpen) return;
    this.pingAt = nowMs + PING_INTERVAL_MS;
    if (this.isAnswering) this.outgoing.ping();
    else this.socket.terminate();
    this.isAnswering = false;
  }
}

/** Counts the frames of one socket in windows of a second. */
class FrameRate {
  private second = 0;
  private frames = 0;

  constructor(private readonly framesPerSecond: number) {}

  count(nowMs: number): 'allowed' | 'too_many' | 'flood' {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.frames = 0;
    }
    this.frames += 1;
    if (this.frames <= this.framesPerSecond) return 'allowed';
    return this.frames <= this.framesPerSecond * FLOOD_FACTOR ? 'too_many' : 'flood';
  }
}
