import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { isDependencyUnavailable } from '@cxp/storage';
import { parseClientFrame, type ClientFrame } from '../chat-protocol/client-frames';
import {
  EXPIRY_WARNING_SECONDS,
  MAX_RESUMED_BYTES,
  MAX_UNREAD_BYTES,
  PING_INTERVAL_MS,
} from '../chat-protocol/limits';
import { CLOSE_REASONS, type ErrorCode, type ServerFrame } from '../chat-protocol/server-frames';
import type { LiveEvent, LiveListener } from '../live/live-events';
import type { EventCursor } from './event-cursor';
import type { SessionOfToken } from '../sessions/session-token.service';

/** Frames of one socket that may be in work. Then the socket is not read until they are done. */
const MAX_FRAMES_IN_WORK = 32;

/** A socket is `open` from its `session.ready`, and `warned` from its `session.expiring`. */
type SocketState = 'entering' | 'open' | 'warned' | 'closing';

type ClosingEvent = keyof typeof CLOSE_REASONS;
type OtherEvent = 'enters' | 'nearsExpiry' | 'isRenewed' | 'disconnects';

/** The state after an event that does not close the socket, by the state before it. */
const TRANSITIONS: Record<SocketState, Record<OtherEvent, SocketState>> = {
  entering: { enters: 'open', nearsExpiry: 'entering', isRenewed: 'entering', disconnects: 'closing' },
  open: { enters: 'open', nearsExpiry: 'warned', isRenewed: 'open', disconnects: 'closing' },
  warned: { enters: 'warned', nearsExpiry: 'warned', isRenewed: 'open', disconnects: 'closing' },
  closing: { enters: 'closing', nearsExpiry: 'closing', isRenewed: 'closing', disconnects: 'closing' },
};

/** Acts on what happens on a socket. The calls for one socket come one after the other. */
export interface SocketHandler {
  /** Called once, before all other calls for the socket. */
  onOpened(socket: ChatSocket): Promise<void>;
  onFrame(socket: ChatSocket, frame: ClientFrame): Promise<void>;
  /** Called once, after all other calls for the socket. */
  onClosed(socket: ChatSocket): void;
  /** Called when another call fails. */
  onFailure(socket: ChatSocket, error: unknown): void;
}

/** One client's socket. Its frames are acted on in their order, one at a time, at most so many a second. */
export class ChatSocket implements LiveListener {
  private state: SocketState = 'entering';
  private cursor: EventCursor | undefined;
  private work: Promise<void> = Promise.resolve();
  private framesInWork = 0;
  /** Frames over the rate, for the next second. The socket is not read meanwhile: they are what was received at once. */
  private waiting: (() => void)[] = [];
  private framesLeft: number;
  private isAnswering = true;
  private isCorked = false;
  private pingAt = Date.now() + PING_INTERVAL_MS;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    /** That of the last accepted token. */
    public session: SessionOfToken,
    /** `event` of the last event that the client has. */
    readonly lastEvent: number | undefined,
    private readonly framesPerSecond: number,
    private readonly handler: SocketHandler,
  ) {
    this.framesLeft = framesPerSecond;
    // A frame that breaks the protocol or is too large: ws closes the socket with the code for it.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.happens('disconnects');
      this.waiting = [];
      this.enqueue(async () => handler.onClosed(this));
    });
    socket.on('message', (data, isBinary) =>
      this.receive(() => (isBinary ? this.happens('sendsBinary') : this.actOn((data as Buffer).toString()))),
    );
    socket.on('ping', (data) => this.receive(() => this.isOpen && this.write(() => socket.pong(data))));
    socket.on('pong', () => this.receive(() => (this.isAnswering = true)));
    this.enqueue(() => handler.onOpened(this));
  }

  get isOpen(): boolean {
    return this.state !== 'closing' && this.socket.readyState === this.socket.OPEN;
  }

  /** Changes the state of the socket; closes it, if the event does. @returns whether the state is another one */
  happens(event: ClosingEvent | OtherEvent): boolean {
    const before = this.state;
    const closing = event in CLOSE_REASONS ? CLOSE_REASONS[event as ClosingEvent] : undefined;
    this.state = closing ? 'closing' : TRANSITIONS[before][event as OtherEvent];
    if (before === this.state) return false;
    if (closing) this.socket.close(closing.code, closing.reason);
    return true;
  }

  /** Resolves when all frames in work are acted on. */
  settled(): Promise<void> {
    return this.work;
  }

  /** A refreshed token was accepted. */
  renew(session: SessionOfToken): void {
    this.session = session;
    this.happens('isRenewed');
    this.send({ type: 'session.renewed', sessionTokenExpiration: session.expiresAt });
  }

  /** The socket is ready: delivers events from here on, first those that are stored already. */
  enter(ready: ServerFrame, cursor: EventCursor): void {
    if (!this.isOpen) return;
    this.happens('enters');
    this.send(ready);
    this.cursor = cursor;
    cursor.loadAll().catch((error: unknown) => this.handler.onFailure(this, error));
  }

  send(frame: ServerFrame): void {
    this.sendLive(JSON.stringify(frame));
  }

  sendError(code: ErrorCode, message: string, clientId: string | null): void {
    this.send({ type: 'error', code, message, clientId });
  }

  /** Sends what just happened. A client that does not read is closed, and can resume where it stopped. */
  sendLive(frame: string): void {
    if (this.isOpen) this.write(() => this.socket.send(frame));
  }

  /** Sends what was stored before. Resolves when the client can read more. */
  async sendStored(frame: string): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      this.write(() => this.socket.send(frame, () => resolve()));
      if (this.socket.bufferedAmount < MAX_RESUMED_BYTES) resolve();
    });
  }

  onEvent({ event, frame }: LiveEvent): void {
    if (frame === '') this.happens('sessionEnds');
    else if (event === 0) {
      if (this.cursor) this.sendLive(frame);
    } else this.deliver((cursor) => cursor.onEvent(event, frame));
  }

  /** There are stored events up to this number. */
  onStored(event: number): void {
    this.deliver((cursor) => cursor.onStored(event));
  }

  /** Does what is due at this time. Called every second. */
  tick(nowMs: number): void {
    const { expiresAt } = this.session;
    if (nowMs >= expiresAt * 1_000) this.happens('expires');
    if (nowMs >= (expiresAt - EXPIRY_WARNING_SECONDS) * 1_000 && this.happens('nearsExpiry')) {
      this.send({ type: 'session.expiring', sessionTokenExpiration: expiresAt });
    }
    this.pingWhenDue(nowMs);
    this.framesLeft = this.framesPerSecond;
    this.actOnWaiting();
  }

  /** Acts on a frame now, or in its turn, if the client sends more than so many a second. */
  private receive(act: () => void): void {
    this.waiting.push(act);
    this.actOnWaiting();
  }

  private actOnWaiting(): void {
    while (this.framesLeft > 0 && this.framesInWork < MAX_FRAMES_IN_WORK && this.waiting.length > 0) {
      this.framesLeft -= 1;
      this.waiting.shift()!();
    }
    if (this.waiting.length > 0) this.socket.pause();
    else if (this.socket.isPaused) this.socket.resume();
  }

  private actOn(text: string): void {
    this.isAnswering = true;
    if (!this.isOpen) return;
    const frame = parseClientFrame(text);
    if (Date.now() >= this.session.expiresAt * 1_000) {
      this.happens('expires');
    } else {
      this.enqueue(async () => {
        // Of a socket that was refused no frame is acted on.
        if (!this.cursor) return;
        if ('invalid' in frame) this.sendError('invalid_frame', frame.invalid, frame.clientId);
        else await this.handler.onFrame(this, frame);
      });
    }
  }

  /** Queues work: it runs after that of earlier frames, and before that of later ones. */
  private enqueue(task: () => Promise<void>): void {
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
      // While PostgreSQL is not available, the events are late: `deliverLostEvents` delivers them.
      if (!isDependencyUnavailable(error)) this.handler.onFailure(this, error);
    });
  }

  /** Frames that are sent at the same time are one write: a write takes longer than making a frame. */
  private write(send: () => void): void {
    if (!this.isCorked) {
      this.isCorked = true;
      this.stream.cork();
      setImmediate(() => {
        this.isCorked = false;
        this.stream.uncork();
      });
    }
    send();
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) this.happens('doesNotRead');
  }

  private pingWhenDue(nowMs: number): void {
    if (nowMs < this.pingAt || !this.isOpen) return;
    this.pingAt = nowMs + PING_INTERVAL_MS;
    // A socket that is paused answers nothing that is read.
    if (this.isAnswering || this.socket.isPaused) this.socket.ping();
    else this.socket.terminate();
    this.isAnswering = false;
  }
}
