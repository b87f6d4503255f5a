import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { isDependencyUnavailable, noteServed } from '@cxp/storage';
import { type ClientFrame, type ClientFrameOf, parseClientFrame } from '../chat-protocol/client-frames';
import {
  EXPIRY_WARNING_SECONDS,
  MAX_RESUMED_BYTES,
  MAX_UNREAD_BYTES,
  MAX_WAITING_FRAMES,
  PING_INTERVAL_MS,
  WAITING_FRAME_BYTES,
} from '../chat-protocol/limits';
import {
  CLOSE_REASONS,
  type FrameErrorCode,
  type ServerFrame,
  type ServerFrameOf,
} from '../chat-protocol/server-frames';
import type { LiveListener, LiveSignal } from '../live/live-events';
import type { EventCursor } from './event-cursor';
import type { FrameRate } from './frame-rates';
import type { SharedBytes } from './shared-bytes';
import type { SessionOfToken } from '../sessions/session.service';

/** Frames of one socket in work; beyond them reading pauses. */
const MAX_FRAMES_IN_WORK = 32;

/** Letters of a frame that count as one more: reading it takes as long as a small one. */
const COUNTED_AS_ONE = 1_024;

/** Limits that sockets share. */
export interface SharedLimits {
  readonly rates: readonly FrameRate[];
  readonly unread: SharedBytes;
  readonly waiting: SharedBytes;
}

/** What happens to sockets. Calls for one are sequential, except of `onFailure`. */
export interface SocketHandler {
  onOpened(socket: ChatSocket): Promise<void>;
  onAuthenticate(socket: ChatSocket, frame: ClientFrameOf<'authenticate'>): void;
  onFrame(socket: ChatSocket, frame: ClientFrame): Promise<void>;
  onFailure(socket: ChatSocket, error: unknown): void;
  onClosed(socket: ChatSocket): void;
}

type FrameKind = 'text' | 'binary' | 'ping' | 'pong';

interface ReceivedFrame {
  readonly kind: FrameKind;
  /** A text: a part of a buffer would keep the whole buffer, all that was read with it. */
  readonly payload: string;
}

/** One client's socket. Frames are handled in order, one at a time, at a limited rate. */
export class ChatSocket implements LiveListener {
  readonly id = randomUUID();
  private cursor: EventCursor | undefined;
  /** The last event that was told: before the cursor there is, it is stored after the state was read. */
  private announced = 0;
  private isWarned = false;
  private isClosing = false;
  private isGone = false;
  private onRead: () => void = () => undefined;
  private work: Promise<void> = Promise.resolve();
  private framesInWork = 0;
  /** Frames over the rate, while reading pauses. */
  private waiting: ReceivedFrame[] = [];
  private waitingBytes = 0;
  private isAnswering = true;
  private pingAt = performance.now() + PING_INTERVAL_MS;

  constructor(
    private readonly socket: WebSocket,
    /** Of the last accepted token. */
    public session: SessionOfToken,
    readonly lastEvent: number | undefined,
    private readonly handler: SocketHandler,
    private readonly limits: SharedLimits,
  ) {
    // ws closes the socket with the right code for protocol errors.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosing = true;
      this.isGone = true;
      this.waiting = [];
      this.limits.waiting.set(this, 0);
      this.limits.unread.set(this, 0);
      this.onRead();
      this.enqueue(async () => handler.onClosed(this));
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.receive('binary');
      else if (!this.isClosing) this.receive('text', (data as Buffer).toString());
    });
    socket.on('ping', (data) => this.receive('ping', data.toString('latin1')));
    socket.on('pong', () => this.receive('pong'));
    this.enqueue(() => handler.onOpened(this));
  }

  get isOpen(): boolean {
    return !this.isClosing && this.socket.readyState === this.socket.OPEN;
  }

  /** Does nothing if the socket is closing already. */
  close(why: keyof typeof CLOSE_REASONS): void {
    if (this.isClosing) return;
    this.isClosing = true;
    const { code, reason } = CLOSE_REASONS[why];
    this.socket.close(code, reason);
  }

  /** A close frame would wait behind what is not read. */
  cutOff(): void {
    this.isClosing = true;
    this.isGone = true;
    this.socket.terminate();
  }

  settled(): Promise<void> {
    return this.work;
  }

  renew(session: SessionOfToken): void {
    this.session = session;
    this.isWarned = false;
    this.send({ type: 'session.renewed', sessionTokenExpiration: session.expiresAt });
  }

  /** Sends the first frame and then events, stored ones first. A client that has them all costs no look. */
  enter(ready: ServerFrameOf<'session.ready'>, cursor: EventCursor): void {
    if (!this.isOpen) return;
    this.send(ready);
    this.cursor = cursor;
    cursor
      .onStored(Math.max(ready.lastEvent, this.announced))
      .catch((error: unknown) => this.handler.onFailure(this, error));
  }

  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  sendError(code: FrameErrorCode, message: string, clientId: string | null): void {
    this.send({ type: 'error', code, message, clientId });
  }

  /** Closes the socket of a client that does not read; the client can resume. */
  sendText(frame: string): void {
    this.sendStored(frame);
    this.closeUnread();
  }

  /** For events that are sent at the pace of their reader. */
  sendStored(frame: string): void {
    if (!this.isOpen) return;
    // Of a text, Node.js would count letters and not bytes.
    this.socket.send(Buffer.from(frame), { binary: false }, () => this.countUnread());
    this.countUnread();
  }

  /** Resolves when the client can read more. */
  async untilRead(): Promise<void> {
    if (this.isGone || this.socket.bufferedAmount < MAX_RESUMED_BYTES) return;
    await new Promise<void>((resolve) => (this.onRead = resolve));
  }

  onSignal(signal: LiveSignal): void {
    if (signal.type === 'end') this.close('sessionGone');
    else if (signal.type === 'event') {
      this.announced = Math.max(this.announced, signal.event);
      this.deliver((cursor) => cursor.onEvent(signal.event, signal.frame));
    } else if (this.cursor && signal.sender !== this.id) this.sendText(signal.frame);
  }

  onStored(event: number): void {
    this.deliver((cursor) => cursor.onStored(event));
  }

  tick(aheadMs: number): void {
    const { expiresAt } = this.session;
    const nowMs = Date.now() + aheadMs;
    const isNearExpiry = nowMs >= (expiresAt - EXPIRY_WARNING_SECONDS) * 1_000;
    if (nowMs >= expiresAt * 1_000) {
      this.close('expired');
    } else if (isNearExpiry && this.cursor && !this.isWarned) {
      this.isWarned = true;
      this.send({ type: 'session.expiring', sessionTokenExpiration: expiresAt });
    }
    this.pingWhenDue(performance.now() + aheadMs);
  }

  actOnWaiting(): void {
    const { rates } = this.limits;
    while (
      this.waiting.length > 0 &&
      this.framesInWork < MAX_FRAMES_IN_WORK &&
      rates.every((rate) => rate.allows(this))
    ) {
      const frame = this.waiting.shift()!;
      for (const rate of rates) rate.take(1 + Math.floor(frame.payload.length / COUNTED_AS_ONE));
      this.waitingBytes -= WAITING_FRAME_BYTES + frame.payload.length;
      this.actOn(frame);
    }
    this.limits.waiting.set(this, this.waitingBytes);
    if (this.waiting.length > 0) this.socket.pause();
    else if (this.socket.isPaused) this.socket.resume();
  }

  /** Handles a frame now, or in its turn if the rate is exceeded. One read of a paused connection may hold thousands. */
  private receive(kind: FrameKind, payload = ''): void {
    if (this.isClosing) return;
    if (this.waiting.length >= MAX_WAITING_FRAMES) {
      this.close('tooManyFrames');
      return;
    }
    this.waiting.push({ kind, payload });
    this.waitingBytes += WAITING_FRAME_BYTES + payload.length;
    this.actOnWaiting();
  }

  private actOn({ kind, payload }: ReceivedFrame): void {
    if (kind === 'text') this.actOnText(payload);
    else if (kind === 'ping') this.pong(Buffer.from(payload, 'latin1'));
    else if (kind === 'pong') this.isAnswering = true;
    else this.close('binaryFrame');
  }

  private actOnText(text: string): void {
    this.isAnswering = true;
    if (!this.isOpen) return;
    if (Date.now() >= this.session.expiresAt * 1_000) {
      this.close('expired');
      return;
    }
    const frame = parseClientFrame(text);
    if (this.cursor && 'type' in frame && frame.type === 'authenticate') {
      this.handler.onAuthenticate(this, frame);
      return;
    }
    this.enqueue(async () => {
      if (!this.cursor) return;
      if ('invalid' in frame) this.sendError('invalid_frame', frame.invalid, frame.clientId);
      else await this.handler.onFrame(this, frame);
    });
  }

  private enqueue(task: () => Promise<void>): void {
    noteServed();
    this.framesInWork += 1;
    this.work = this.work
      .then(task)
      .catch((error: unknown) => this.handler.onFailure(this, error))
      .finally(() => {
        this.framesInWork -= 1;
        if (this.waiting.length > 0) this.actOnWaiting();
      });
  }

  private deliver(step: (cursor: EventCursor) => Promise<void>): void {
    if (!this.cursor) return;
    step(this.cursor).catch((error: unknown) => {
      // While PostgreSQL is unavailable, events are late: `deliverLostEvents` sends them.
      if (!isDependencyUnavailable(error)) this.handler.onFailure(this, error);
    });
  }

  private pong(data: Buffer): void {
    if (!this.isOpen) return;
    this.socket.pong(data);
    this.closeUnread();
  }

  private countUnread(): void {
    if (this.isGone) return;
    const bytes = this.socket.bufferedAmount;
    this.limits.unread.set(this, bytes);
    if (bytes < MAX_RESUMED_BYTES) this.onRead();
  }

  private closeUnread(): void {
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.close('unread');
  }

  /** @param uptimeMs a clock that is never set back */
  private pingWhenDue(uptimeMs: number): void {
    if (uptimeMs < this.pingAt || !this.isOpen) return;
    this.pingAt = uptimeMs + PING_INTERVAL_MS;
    // A paused socket cannot read the answer to a ping.
    if (this.isAnswering || this.socket.isPaused) this.socket.ping();
    else this.socket.terminate();
    this.isAnswering = false;
  }
}
