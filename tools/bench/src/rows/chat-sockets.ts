import { once } from 'node:events';
import { WebSocket } from 'ws';
import { atPace, quantile } from '../measure';

/** A session of the gateway, as A1 answers it. */
export interface BenchSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly sessionToken: string;
  readonly conversationId: string;
}

/** Sockets that are opened at the same time. */
const OPENING = 100;

/** A message that is under way. */
interface SentMessage {
  readonly send: () => void;
  readonly resolve: (receivedAt: number) => void;
}

/** How long to wait before sending again what was refused, as a client has to, in milliseconds. */
const RESEND_MS = 100;

/** Many customers' sockets to one server, and the time that each message takes to come back as everybody sees it. */
export class ChatSockets {
  private readonly waiting = new Map<string, SentMessage>();
  private readonly sockets: WebSocket[] = [];
  private nextSocket = 0;
  private nextMessage = 0;

  private constructor(
    private readonly name: string,
    private readonly query: string,
  ) {}

  /** @param query that a bare server needs, which has no sessions */
  static async open(
    name: string,
    url: string,
    sessions: readonly BenchSession[],
    query = '',
  ): Promise<ChatSockets> {
    const all = new ChatSockets(name, query);
    for (let i = 0; i < sessions.length; i += OPENING) {
      await Promise.all(sessions.slice(i, i + OPENING).map((session) => all.openOne(url, session)));
    }
    return all;
  }

  close(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  /** Keeps so many messages under way for some time. */
  async saturate(
    concurrency: number,
    seconds: number,
  ): Promise<{ messagesPerSecond: number; p99Ms: number }> {
    const times: number[] = [];
    const start = performance.now();
    const end = start + seconds * 1_000;
    const work = async () => {
      while (performance.now() < end) {
        times.push(await this.sendOne());
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return {
      messagesPerSecond: (times.length * 1_000) / (performance.now() - start),
      p99Ms: quantile(times, 0.99),
    };
  }

  /**
   * Sends at a fixed pace, however long the answers take.
   * @returns how long each message took, in milliseconds, from when it was due
   */
  pace(messagesPerSecond: number, seconds: number): Promise<number[]> {
    return atPace(messagesPerSecond, seconds, (_, due) => this.sendOne(due));
  }

  /** Sends from the next socket in turn. @returns after how many milliseconds the message came back */
  async sendOne(since = performance.now()): Promise<number> {
    const socket = this.sockets[this.nextSocket++ % this.sockets.length]!;
    const clientId = `${this.name}-${this.nextMessage++}`;
    const frame = JSON.stringify({ type: 'message.send', clientId, text: 'Where is my order 4711, please?' });
    const received = new Promise<number>((resolve) => {
      this.waiting.set(clientId, { resolve, send: () => socket.send(frame) });
    });
    socket.send(frame);
    return (await received) - since;
  }

  private async openOne(url: string, session: BenchSession): Promise<void> {
    const socket = new WebSocket(
      `${url}/sessions/${session.sessionId}?conversation=${session.conversationId}${this.query}`,
      [],
      { headers: { authorization: `Bearer ${session.sessionToken}` }, perMessageDeflate: false },
    );
    this.sockets.push(socket);
    socket.on('message', (data: Buffer) => this.receive(data.toString()));
    await once(socket, 'open');
  }

  private receive(text: string): void {
    const receivedAt = performance.now();
    const frame = JSON.parse(text) as { type: string; clientId?: string; message?: { clientId: string } };
    if (frame.type === 'error') setTimeout(() => this.waiting.get(frame.clientId!)?.send(), RESEND_MS);
    if (frame.type !== 'message') return;
    const { clientId } = frame.message!;
    this.waiting.get(clientId)?.resolve(receivedAt);
    this.waiting.delete(clientId);
  }
}
