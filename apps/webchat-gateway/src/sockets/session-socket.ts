import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { LiveEvent } from '../live/live-event';
import type { LiveListener } from '../live/live-subscriptions';
import { parseClientFrame } from './client-frame.parser';
import { CLOSE_REASONS, type CloseReason } from './close-reasons';
import { FrameRate } from './frame-rate';
import type { ClientFrame, ErrorCode, ServerFrame } from './frames';
import { MessageCursor } from './message-cursor';
import {
  AUTHENTICATION_TIMEOUT_MS,
  EXPIRY_WARNING_SECONDS,
  MAX_UNREAD_BYTES,
  MAX_WAITING_FRAMES,
  PING_INTERVAL_MS,
} from './socket-limits';
import type { SocketSession } from './token-admission';

/** What a socket leaves to others. */
export interface SocketHandler {
  onFrame(socket: SessionSocket, frame: ClientFrame): Promise<void>;
  /** After everything else that was to be done for the socket. */
  onClosed(socket: SessionSocket, code: number): Promise<void>;
  onFailure(socket: SessionSocket, error: unknown): void;
}

/** One client's socket: what it sends is acted on in its order, one frame after the other, within limits. */
export class SessionSocket implements LiveListener {
  readonly id = randomUUID();
  /** Undefined until it is authenticated. */
  session: SocketSession | undefined;
  private cursor: MessageCursor | undefined;
  private work: Promise<void> = Promise.resolve();
  private waitingFrames = 0;
  private isWarned = false;
  private isAnswering = true;
  private readonly openedAt = Date.now();
  private pingAt = this.openedAt + PING_INTERVAL_MS;

  constructor(
    private readonly socket: WebSocket,
    /** The one that its URL names. */
    readonly sessionId: string,
    /** The last message that the client has seen. */
    readonly lastSequence: number | undefined,
    private readonly rate: FrameRate,
    private readonly handler: SocketHandler,
  ) {
    socket.on('message', (data, isBinary) => this.receive(data, isBinary));
    socket.on('pong', () => (this.isAnswering = true));
    // A frame that breaks the protocol or is too large; ws closes the socket with the code for it.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.enqueue(() => handler.onClosed(this, code)));
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Does something in its turn: after what came before, before what comes later. */
  enqueue(task: () => Promise<void>): void {
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

  /** Resolves when everything that came in so far was acted on. */
  settled(): Promise<void> {
    return this.work;
  }

  /** From now on the socket speaks for this session; or goes on to, with a refreshed token. */
  authenticate(session: SocketSession): void {
    this.session = session;
    this.isWarned = false;
  }

  /** Delivers messages from here on, first those that are stored already. */
  follow(cursor: MessageCursor): void {
    this.cursor = cursor;
    this.catchUp();
  }

  send(frame: ServerFrame): void {
    this.sendLive(JSON.stringify(frame));
  }

  sendError(code: ErrorCode, message: string, clientId: string | null = null): void {
    this.send({ type: 'error', code, message, clientId });
  }

  /** Sends a message that was stored before; resolves when the client can take more. */
  sendStored(frame: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    return new Promise((resolve) => this.socket.send(frame, () => resolve()));
  }

  /** Sends what happens now; a client that does not keep up is closed, and can go on where it stopped. */
  sendLive(frame: string): void {
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.close(CLOSE_REASONS.slowConsumer);
    else this.socket.send(frame);
  }

  close({ code, reason }: CloseReason): void {
    this.socket.close(code, reason);
  }

  onEvent(event: LiveEvent): void {
    if (event.replacedSocketId) {
      if (event.replacedSocketId === this.id) this.close(CLOSE_REASONS.tooManySockets);
    } else if (event.sequence === 0) {
      this.sendLive(event.frame);
    } else {
      this.cursor?.onEvent(event).catch((error: unknown) => this.handler.onFailure(this, error));
    }
  }

  onResubscribed(): void {
    this.catchUp();
  }

  /** What is due at this time: called every second. */
  tick(nowMs: number): void {
    const overdue = this.overdue(nowMs);
    if (overdue) {
      this.close(overdue);
      return;
    }
    this.warn(nowMs);
    this.ping(nowMs);
  }

  private overdue(nowMs: number): CloseReason | undefined {
    if (this.hasExpired(nowMs)) return CLOSE_REASONS.sessionExpired;
    const isLate = !this.session && nowMs >= this.openedAt + AUTHENTICATION_TIMEOUT_MS;
    return isLate ? CLOSE_REASONS.authenticationTimeout : undefined;
  }

  private hasExpired(nowMs: number): boolean {
    return this.session !== undefined && nowMs >= this.session.expiresAt * 1_000;
  }

  private warn(nowMs: number): void {
    if (!this.session || this.isWarned) return;
    const { expiresAt } = this.session;
    if (nowMs < (expiresAt - EXPIRY_WARNING_SECONDS) * 1_000) return;
    this.isWarned = true;
    this.send({ type: 'session.expiring', sessionTokenExpiration: expiresAt });
  }

  /** Asks whether the client is still there; one that has not said anything since the last time is not. */
  private ping(nowMs: number): void {
    if (nowMs < this.pingAt || !this.isOpen) return;
    this.pingAt = nowMs + PING_INTERVAL_MS;
    if (this.isAnswering) this.socket.ping();
    else this.socket.terminate();
    this.isAnswering = false;
  }

  private catchUp(): void {
    this.cursor?.loadAll().catch((error: unknown) => this.handler.onFailure(this, error));
  }

  private receive(data: RawData, isBinary: boolean): void {
    const now = Date.now();
    this.isAnswering = true;
    if (!this.isOpen) return;
    const verdict = this.rate.take(now);
    if (isBinary) this.close(CLOSE_REASONS.binaryFrame);
    else if (verdict === 'flood') this.close(CLOSE_REASONS.tooManyFrames);
    else if (this.hasExpired(now)) this.close(CLOSE_REASONS.sessionExpired);
    else this.act(parseClientFrame((data as Buffer).toString()), verdict === 'allowed');
  }

  private act(frame: ReturnType<typeof parseClientFrame>, isAllowed: boolean): void {
    if ('invalid' in frame) {
      this.sendError('invalid_frame', frame.invalid);
    } else if (!isAllowed) {
      const clientId = frame.type === 'message.send' ? frame.clientId : null;
      this.sendError('rate_limited', 'Too many frames: send it again later', clientId);
    } else {
      this.enqueue(() => this.handler.onFrame(this, frame));
    }
  }
}
