import { once } from 'node:events';
import { Ajv } from 'ajv';
import { WebSocket, type ClientOptions } from 'ws';
import { type ChatEvent, SERVER_FRAMES, type ServerFrame } from '../src/chat-protocol/server-frames';
import type { Message } from '../src/chat-protocol/shapes';

const ajv = new Ajv({ strict: false, validateFormats: false });
const documented = ajv.compile({ anyOf: Object.values(SERVER_FRAMES) });

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { readonly type: Type }>;

export type ConnectOptions = ClientOptions & {
  /** Offered as a browser does; without it the token is to be sent in a frame or a header. */
  readonly sessionToken?: string;
  readonly lastEvent?: number | string;
};

/** A customer's client: keeps every frame that it receives, all of them as documented, and waits for those to come. */
export class ChatClient {
  readonly frames: ServerFrame[] = [];
  /** Resolves to the code and the reason when the socket is closed. */
  readonly closed: Promise<[code: number, reason: string]>;
  /** How often the server asked whether it is still there. */
  pings = 0;
  private taken = 0;
  private onFrame = () => undefined as void;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString());
      if (!documented(frame)) throw new Error(`not documented: ${data.toString()}`);
      this.frames.push(frame);
      this.onFrame();
    });
    socket.on('ping', () => this.pings++);
    socket.on('error', () => undefined);
    // Not `once`, which would reject for an error that comes before.
    this.closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => resolve([code, String(reason)])),
    );
  }

  /** Opens a socket; authentication may still be under way, or fail. */
  static async open(url: string, options: ConnectOptions = {}): Promise<ChatClient> {
    const { sessionToken, lastEvent, ...rest } = options;
    const protocols = sessionToken === undefined ? [] : ['webchat.v1', `bearer.${sessionToken}`];
    const query = new URLSearchParams();
    if (lastEvent !== undefined) query.set('lastEvent', String(lastEvent));
    const socket = new WebSocket(query.size > 0 ? `${url}?${query}` : url, protocols, rest);
    const client = new ChatClient(socket);
    await once(socket, 'open');
    return client;
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  sendMessage(clientId: string, text = `Text of ${clientId}`): void {
    this.send({ type: 'message.send', clientId, text });
  }

  /** Resolves when the server has received all that was sent so far, answers to its pings included. */
  async roundTrip(): Promise<void> {
    this.socket.ping();
    await once(this.socket, 'pong');
  }

  /** The next frame of a type that was not taken yet; frames of other types before it are passed over. */
  async next<Type extends ServerFrame['type']>(type: Type): Promise<FrameOf<Type>> {
    for (;;) {
      while (this.taken < this.frames.length) {
        const frame = this.frames[this.taken++]!;
        if (frame.type === type) return frame as FrameOf<Type>;
      }
      await this.oneMore(`a frame "${type}"`);
    }
  }

  /** The next so many messages. */
  async nextMessages(count: number): Promise<Message[]> {
    const messages: Message[] = [];
    while (messages.length < count) messages.push((await this.next('message')).message);
    return messages;
  }

  /** All frames of a type so far. */
  received<Type extends ServerFrame['type']>(type: Type): FrameOf<Type>[] {
    return this.frames.filter((frame): frame is FrameOf<Type> => frame.type === type);
  }

  /** All events so far, as they came. */
  get events(): ChatEvent[] {
    return this.frames.filter(
      (frame): frame is ChatEvent => 'event' in frame && frame.type !== 'message.accepted',
    );
  }

  /** Resolves when the client has this event. */
  async untilEvent(event: number): Promise<void> {
    while ((this.events.at(-1)?.event ?? 0) < event) {
      await this.oneMore(`event ${event}`);
    }
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  /** Resolves with the next frame. @param awaited named if the socket is closed before it */
  private async oneMore(awaited: string): Promise<void> {
    await Promise.race([
      new Promise<void>((resolve) => (this.onFrame = resolve)),
      this.closed.then(([code, reason]) => {
        throw new Error(`closed with ${code} ${reason} before ${awaited}`);
      }),
    ]);
  }
}
