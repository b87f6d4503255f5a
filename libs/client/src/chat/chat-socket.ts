import { CxpError } from '../errors';
import { checkToken } from '../http-client';
import type { Accepted, ChatFrames, ProtocolFrame, ServerFrame } from './frames';
import { Outbox } from './outbox';

const SUBPROTOCOL = 'webchat.v1';
/** The service's own rule: spaces and characters that nobody can see are no text. */
const VISIBLE_TEXT = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;
const MAX_TEXT_LENGTH = 4_000;
const MAX_FEEDBACK_LENGTH = 2_000;
const FIRST_RECONNECT_MS = 250;
const MAX_RECONNECT_MS = 15_000;
const RENEWAL_RETRY_MS = 5_000;

/** A new connection can't help after these close codes. */
const FINAL_CODES: Readonly<Record<number, ChatEnd>> = {
  4404: 'session_over',
  4409: 'replaced',
};
const TOKEN_EXPIRED = 4401;

/** A refused token looks like a lost network, so this many failed connections renew the token. */
const UNOPENED_BEFORE_RENEWAL = 3;

/**
 * `session_over`: the session has ended, create another. `replaced`: newer sockets of the session took its place. `closed`:
 * `close()` was called.
 */
export type ChatEnd = 'session_over' | 'replaced' | 'closed';

export type ChatStatus = 'connecting' | 'open' | 'ended';

export interface ChatSession {
  readonly websocketUrl: string;
  readonly sessionId: string;
  readonly sessionToken: string;
}

/** The last event that a client has seen. */
export interface ChatPosition {
  readonly lastEvent?: number;
}

/** The WebSocket interface of browsers and of the package `ws`. */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(): void;
}

type WebSocketClass = new (url: string, protocols: string[]) => WebSocketLike;

/** Apart, because the handlers' types differ between implementations. */
interface HandledSocket extends WebSocketLike {
  onmessage: (event: { data: unknown }) => void;
  onopen: () => void;
  onclose: (event: { code: number }) => void;
  onerror: () => void;
}

export interface ChatSocketOptions {
  /**
   * Gets a new token of the session (A2) from your backend. `null`, or an error whose `status` is 404 (`NotFoundError`): the
   * session has ended. After any other error it is called again.
   */
  readonly renewToken: (sessionId: string) => Promise<{ readonly sessionToken: string } | null>;
  /** Later events are delivered first. Default: only new events. */
  readonly position?: ChatPosition;
  /** Default: the global `WebSocket`. */
  readonly WebSocket?: WebSocketClass;
  /** Milliseconds for an acknowledgement; then the connection counts as lost. Default: 10,000. */
  readonly acknowledgementMs?: number;
  /** Milliseconds of the server's silence before it is probed. Default: 30,000. */
  readonly silenceMs?: number;
  /** Milliseconds for `renewToken`; then it counts as failed. Default: 30,000. */
  readonly renewalMs?: number;
}

/** Browsers announce here that the network is back; Node.js does not. */
const network = globalThis as unknown as Partial<
  Pick<EventTarget, 'addEventListener' | 'removeEventListener'>
>;

interface Listeners extends ChatFrames {
  status: ChatStatus;
  ended: ChatEnd;
}

/**
 * A customer's side of a conversation. It reconnects by itself, renews its token, delivers every event once and in order, and
 * sends every message once.
 */
export class ChatSocket {
  private readonly listeners = new Map<string, Set<(event: never) => void>>();
  private readonly outbox: Outbox;
  // Not shown by `console.log`.
  readonly #session: ChatSession;
  #sessionToken: string;
  private seen: ChatPosition;
  private socket: WebSocketLike | undefined;
  private isReady = false;
  private isOver = false;
  private failures = 0;
  private isRenewing = false;
  private needsToken = false;
  /** Failed connections since the last open one. */
  private unopened = 0;
  private reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;

  /** @throws CxpError if the session can't be one */
  constructor(
    session: ChatSession,
    private readonly options: ChatSocketOptions,
  ) {
    checkToken(session.sessionToken, 'session.sessionToken');
    if (!/^wss?:\/\/\S+$/.test(session.websocketUrl)) {
      throw new CxpError('session.websocketUrl is no ws:// or wss:// URL');
    }
    this.#session = session;
    this.#sessionToken = session.sessionToken;
    this.seen = options.position ?? {};
    const transport = { send: (frame: object) => this.send(frame), onSilence: () => this.lose() };
    this.outbox = new Outbox(transport, this.acknowledgementMs);
    this.open();
    network.addEventListener?.('online', this.onOnline);
  }

  private get acknowledgementMs(): number {
    return this.options.acknowledgementMs ?? 10_000;
  }

  get status(): ChatStatus {
    if (this.isOver) return 'ended';
    return this.isReady ? 'open' : 'connecting';
  }

  /** Another ChatSocket can continue from here. */
  get position(): ChatPosition {
    return this.seen;
  }

  /** @returns a function that removes the listener */
  on<Type extends keyof Listeners>(type: Type, listener: (event: Listeners[Type]) => void): () => void {
    const listeners = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Sends a message, if necessary after reconnecting.
   * @param clientId comes back in the message's frame
   * @returns when it is stored.
   * @throws CxpError if it is blank or longer than 4000 characters; ChatError, ChatEndedError
   */
  async sendMessage(text: string, clientId: string = randomId()): Promise<Accepted> {
    if (!VISIBLE_TEXT.test(text) || [...text].length > MAX_TEXT_LENGTH) {
      throw new CxpError(`A message has 1 to ${MAX_TEXT_LENGTH} characters and is not blank`);
    }
    const frame = { type: 'message.send', clientId, text };
    return (await this.outbox.add(frame)) as ProtocolFrame & Accepted;
  }

  /**
   * Answers the latest request for a rating.
   * @returns when it is stored.
   * @throws CxpError if it is empty, or longer than 2000 characters; ChatError, for instance if no request is open;
   * ChatEndedError
   */
  async rate(
    rating: {
      /** 1 to 5. */
      readonly rating?: number | null;
      /** Whether the matter is resolved. */
      readonly resolution?: 0 | 1 | null;
      readonly feedback?: string | null;
    },
    clientId: string = randomId(),
  ): Promise<void> {
    const { rating: stars = null, resolution = null, feedback = null } = rating;
    if (stars === null && resolution === null && feedback === null) {
      throw new CxpError('A rating has a rating, a resolution or a feedback');
    }
    if ([...(feedback ?? '')].length > MAX_FEEDBACK_LENGTH) {
      throw new CxpError(`A feedback has at most ${MAX_FEEDBACK_LENGTH} characters`);
    }
    const frame = { type: 'rating.submit', clientId, rating: stars, resolution, feedback };
    await this.outbox.add(frame);
  }

  /** Lost without a connection. */
  typing(active: boolean): void {
    if (this.isReady) this.send({ type: 'typing', active });
  }

  /** Marks events as read up to a number. Lost without a connection. */
  read(upTo: number): void {
    if (this.isReady) this.send({ type: 'read', upTo });
  }

  close(): void {
    this.end('closed');
  }

  private readonly onOnline = (): void => {
    if (this.socket || this.isRenewing) return;
    clearTimeout(this.reconnectTimer);
    this.failures = 0;
    this.connect();
  };

  private connect(): void {
    if (this.isOver) return;
    if (this.needsToken) {
      void this.renew().then((isRenewed) => (isRenewed ? this.connect() : this.lose()));
    } else if (this.unopened >= UNOPENED_BEFORE_RENEWAL) {
      this.unopened = 0;
      void this.renew().then(() => this.connect());
    } else {
      try {
        this.open();
      } catch {
        // A constructor that throws counts as a lost connection.
        this.lose();
      }
    }
  }

  /** @throws what the constructor of the WebSocket throws */
  private open(): void {
    const Socket = this.options.WebSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
    if (!Socket) throw new CxpError('There is no global WebSocket: pass one in the options');
    this.unopened += 1;
    const { lastEvent } = this.seen;
    const query = lastEvent === undefined ? '' : `?lastEvent=${lastEvent}`;
    const protocols = [SUBPROTOCOL, `bearer.${this.#sessionToken}`];
    const socket = new Socket(this.#session.websocketUrl + query, protocols) as HandledSocket;
    this.socket = socket;
    socket.onopen = () => (this.unopened = 0);
    socket.onmessage = ({ data }) => {
      if (this.socket === socket) this.receive(JSON.parse(String(data)) as ServerFrame);
    };
    socket.onclose = ({ code }) => {
      if (this.socket === socket) this.onClose(code);
    };
    socket.onerror = () => undefined; // A close follows.
    this.watchSilence();
  }

  private receive(frame: ServerFrame): void {
    if (frame.type === 'session.ready') this.isReady = true;
    this.watchSilence();
    switch (frame.type) {
      case 'session.ready':
        this.onReady(frame);
        break;
      case 'session.expiring':
        void this.renew();
        break;
      case 'session.renewed':
        break;
      case 'message.accepted':
      case 'rating.accepted':
      case 'error':
        this.outbox.receive(frame);
        break;
      default:
        if (this.advance(frame)) this.emit(frame.type, frame);
    }
  }

  private onReady(frame: ChatFrames['session.ready']): void {
    this.failures = 0;
    // After an erasure or a restored backup the server may have fewer events than were seen.
    this.seen = { lastEvent: Math.min(this.seen.lastEvent ?? frame.lastEvent, frame.lastEvent) };
    // Before the listeners, which may throw.
    this.outbox.connected();
    this.emit('session.ready', frame);
    this.emit('status', 'open');
  }

  /** @returns whether the frame is new */
  private advance(frame: ServerFrame): boolean {
    if (!('event' in frame)) return true;
    if (frame.event <= (this.seen.lastEvent ?? 0)) return false;
    this.seen = { lastEvent: frame.event };
    return true;
  }

  private onClose(code: number): void {
    const final = FINAL_CODES[code];
    if (final) {
      this.end(final);
    } else {
      this.needsToken ||= code === TOKEN_EXPIRED;
      this.lose();
    }
  }

  /** Reconnects. The old connection may still deliver messages: the server stores each once. */
  private lose(): void {
    if (this.isOver) return;
    const wasReady = this.isReady;
    this.leaveSocket();
    this.outbox.disconnected();
    const delayMs = Math.min(FIRST_RECONNECT_MS * 2 ** this.failures, MAX_RECONNECT_MS);
    this.failures += 1;
    // Random, so that clients of a restarted server do not reconnect at once.
    this.reconnectTimer = setTimeout(() => this.connect(), delayMs * (0.5 + Math.random() / 2));
    if (wasReady) this.emit('status', 'connecting');
  }

  /**
   * Ends the chat if the session is over.
   * @returns whether there is a new token
   */
  private async renew(): Promise<boolean> {
    if (this.isRenewing || this.isOver) return false;
    this.isRenewing = true;
    const renewed = await this.requestToken().finally(() => (this.isRenewing = false));
    if (renewed === 'failed') {
      if (this.isReady) setTimeout(() => void this.renew(), RENEWAL_RETRY_MS);
      return false;
    }
    if (renewed === null) {
      this.end('session_over');
      return false;
    }
    this.#sessionToken = renewed.sessionToken;
    this.needsToken = false;
    if (this.isReady) this.authenticate();
    return true;
  }

  /** @returns null if the session has ended */
  private async requestToken(): Promise<{ readonly sessionToken: string } | null | 'failed'> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<'failed'>((resolve) => {
      timer = setTimeout(() => resolve('failed'), this.options.renewalMs ?? 30_000);
    });
    try {
      const renewed = await Promise.race([this.options.renewToken(this.#session.sessionId), timeout]);
      // What is no token counts as failed, too.
      if (renewed !== null && renewed !== 'failed') checkToken(renewed.sessionToken, 'sessionToken');
      return renewed;
    } catch (error) {
      return (error as { status?: unknown } | null)?.status === 404 ? null : 'failed';
    } finally {
      clearTimeout(timer);
    }
  }

  private authenticate(): void {
    this.send({ type: 'authenticate', sessionToken: this.#sessionToken });
  }

  /** Browsers can't ping, so after a silence the token is sent again, which the server answers. */
  private watchSilence(): void {
    clearTimeout(this.silenceTimer);
    if (this.isOver) return;
    const loseLater = () => {
      this.silenceTimer = setTimeout(() => this.lose(), this.acknowledgementMs);
    };
    if (!this.isReady) return loseLater();
    this.silenceTimer = setTimeout(() => {
      this.authenticate();
      loseLater();
    }, this.options.silenceMs ?? 30_000);
  }

  private send(frame: object): void {
    const OPEN = 1;
    if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify(frame));
  }

  private end(reason: ChatEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.leaveSocket();
    network.removeEventListener?.('online', this.onOnline);
    this.outbox.end();
    this.emit('status', 'ended');
    this.emit('ended', reason);
  }

  private leaveSocket(): void {
    clearTimeout(this.silenceTimer);
    clearTimeout(this.reconnectTimer);
    this.isReady = false;
    const { socket } = this;
    this.socket = undefined;
    socket?.close();
  }

  private emit<Type extends keyof Listeners>(type: Type, event: Listeners[Type]): void {
    for (const listener of this.listeners.get(type) ?? [])
      (listener as (event: Listeners[Type]) => void)(event);
  }
}

function randomId(): string {
  return globalThis.crypto.randomUUID();
}
