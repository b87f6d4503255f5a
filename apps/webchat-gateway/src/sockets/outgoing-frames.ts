import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { MAX_UNREAD_BYTES } from '../chat-protocol/limits';

/**
 * Bytes that are given to the operating system before the client has confirmed that it reads. It fits into the buffers of
 * any connection, so that a close frame, too, is still delivered to a client that has stopped reading.
 */
const WINDOW_BYTES = 64 * 1_024;

/** Unanswered pings that are remembered: more than a window holds. The oldest makes room: the answer to a later one tells more. */
const MAX_UNANSWERED_PINGS = 8;

/** The longest answer to a ping. Every answer counts as one: a short one, too, is a write of its own. */
const MAX_PONG_BYTES = 127;

/** A ping that the client has not answered. */
interface Ping {
  /** Nobody can guess it: who returns it has read the ping, and all that was sent before it. */
  readonly token: string;
  readonly sentBytes: number;
}

/**
 * Sends frames to one client and counts what the client has not read. Pings show what it has read: a pong returns the token
 * of its ping. Frames beyond the window wait here.
 */
export class OutgoingFrames {
  private waiting: string[] = [];
  private waitingBytes = 0;
  private sentBytes = 0;
  private pingedBytes = 0;
  private readBytes = 0;
  private readonly unansweredPings: Ping[] = [];
  /** The client's last one, as long as it is not answered. */
  private receivedPing: Buffer | undefined;
  private drainListeners: (() => void)[] = [];
  private isCorked = false;

  /** @param stream of the socket */
  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Duplex,
    private readonly listener: {
      /** More than `MAX_UNREAD_BYTES` are unread; the frames that wait are dropped. */
      readonly onOverflow: () => void;
      /** A pong came that answers no ping. */
      readonly onUnaskedPong: () => void;
    },
  ) {
    socket.on('pong', (data) => this.onPong(data.toString()));
    socket.on('ping', (data) => {
      this.receivedPing = data;
      this.answerPing();
    });
    socket.on('close', () => this.reportDrained());
  }

  send(frame: string): void {
    if (this.isWindowOpen && this.waiting.length === 0) this.write(frame);
    else this.defer(frame);
  }

  /** Asks the client to show that it is there, and what it has read. */
  ping(): void {
    const { sentBytes } = this;
    const token = randomUUID();
    this.pingedBytes = sentBytes;
    if (this.unansweredPings.length === MAX_UNANSWERED_PINGS) this.unansweredPings.shift();
    this.unansweredPings.push({ token, sentBytes });
    this.socket.ping(token);
  }

  /** Resolves when no frame waits and the client can read more, or when the socket is closed. */
  async drained(): Promise<void> {
    if (this.isDrained) return;
    await new Promise<void>((resolve) => this.drainListeners.push(resolve));
  }

  private get isWindowOpen(): boolean {
    return this.sentBytes - this.readBytes < WINDOW_BYTES;
  }

  private get isDrained(): boolean {
    return this.socket.readyState !== this.socket.OPEN || (this.waiting.length === 0 && this.isWindowOpen);
  }

  private write(frame: string): void {
    this.cork();
    this.socket.send(frame);
    this.countSent(Buffer.byteLength(frame));
  }

  /** Answers, too, wait until the client reads; of several pings the last one is answered (RFC 6455, 5.5.3). */
  private answerPing(): void {
    if (!this.receivedPing || !this.isWindowOpen) return;
    this.socket.pong(this.receivedPing);
    this.countSent(MAX_PONG_BYTES);
    this.receivedPing = undefined;
  }

  private countSent(bytes: number): void {
    this.sentBytes += bytes;
    if (this.sentBytes - this.pingedBytes >= WINDOW_BYTES / 2) this.ping();
  }

  /** What is sent at the same time is written at once: a write takes longer than to make a frame. */
  private cork(): void {
    if (this.isCorked) return;
    this.isCorked = true;
    this.stream.cork();
    setImmediate(() => {
      this.isCorked = false;
      this.stream.uncork();
    });
  }

  private defer(frame: string): void {
    this.waiting.push(frame);
    this.waitingBytes += Buffer.byteLength(frame);
    if (this.sentBytes - this.readBytes + this.waitingBytes <= MAX_UNREAD_BYTES) return;
    this.waiting = [];
    this.waitingBytes = 0;
    this.listener.onOverflow();
    this.reportDrained();
  }

  private onPong(token: string): void {
    const answered = this.unansweredPings.findIndex((ping) => ping.token === token);
    if (answered === -1) {
      this.listener.onUnaskedPong();
      return;
    }
    this.readBytes = this.unansweredPings[answered]!.sentBytes;
    // A client may answer only the last of several pings (RFC 6455, 5.5.3).
    this.unansweredPings.splice(0, answered + 1);
    while (this.isWindowOpen && this.waiting.length > 0) {
      const frame = this.waiting.shift()!;
      this.waitingBytes -= Buffer.byteLength(frame);
      this.write(frame);
    }
    this.answerPing();
    if (this.isDrained) this.reportDrained();
  }

  private reportDrained(): void {
    const listeners = this.drainListeners;
    this.drainListeners = [];
    for (const listener of listeners) listener();
  }
}
