import { CxpError } from '../errors';
import { ChatEndedError, ChatError, type ProtocolFrame } from './frames';

/** After this error the frame is sent again. */
const TEMPORARY = 'try_again';
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;
/** The server does not name a longer one in its refusal. */
const MAX_CLIENT_ID_LENGTH = 64;

export interface OutgoingFrame {
  readonly type: string;
  /** The server stores frames with the same id once. */
  readonly clientId: string;
}

interface Entry {
  readonly frame: OutgoingFrame;
  readonly resolve: (accepted: ProtocolFrame) => void;
  readonly reject: (error: Error) => void;
}

export interface OutboxTransport {
  readonly send: (frame: OutgoingFrame) => void;
  /** No acknowledgement came: the connection is lost. */
  readonly onSilence: () => void;
}

/**
 * Sends frames one by one, each until it is acknowledged, over any number of connections. A repeated frame has the same
 * `clientId`, so the server stores it once.
 */
export class Outbox {
  private readonly entries: Entry[] = [];
  private isConnected = false;
  private isOver = false;
  private refusals = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly transport: OutboxTransport,
    private readonly acknowledgementMs: number,
  ) {}

  /** @throws CxpError for a `clientId` that the server refuses; ChatEndedError, ChatError */
  add(frame: OutgoingFrame): Promise<ProtocolFrame> {
    const { length } = [...frame.clientId];
    if (length < 1 || length > MAX_CLIENT_ID_LENGTH) {
      return Promise.reject(new CxpError(`A clientId has 1 to ${MAX_CLIENT_ID_LENGTH} characters`));
    }
    if (this.isOver) return Promise.reject(new ChatEndedError());
    return new Promise((resolve, reject) => {
      this.entries.push({ frame, resolve, reject });
      if (this.entries.length === 1) this.sendFirst();
    });
  }

  connected(): void {
    this.isConnected = true;
    this.sendFirst();
  }

  disconnected(): void {
    this.isConnected = false;
    clearTimeout(this.timer);
  }

  receive(frame: ProtocolFrame): void {
    const [first] = this.entries;
    if (!first) return;
    if (frame.type === 'message.accepted' || frame.type === 'rating.accepted') {
      if (frame.clientId === first.frame.clientId) this.finish(() => first.resolve(frame));
    } else if (frame.type === 'error' && frame.clientId === first.frame.clientId) {
      if (frame.code === TEMPORARY) this.sendLater();
      else this.finish(() => first.reject(new ChatError(frame.code, frame.message)));
    }
  }

  end(): void {
    this.isOver = true;
    this.disconnected();
    for (const { reject } of this.entries.splice(0)) reject(new ChatEndedError());
  }

  private sendFirst(): void {
    clearTimeout(this.timer);
    const [first] = this.entries;
    if (!first || !this.isConnected) return;
    this.transport.send(first.frame);
    this.timer = setTimeout(this.transport.onSilence, this.acknowledgementMs);
  }

  private sendLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => this.sendFirst(),
      Math.min(FIRST_RETRY_MS * 2 ** this.refusals, MAX_RETRY_MS),
    );
    this.refusals += 1;
  }

  private finish(settle: () => void): void {
    this.refusals = 0;
    this.entries.shift();
    settle();
    this.sendFirst();
  }
}
