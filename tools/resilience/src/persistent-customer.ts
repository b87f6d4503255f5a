import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** How long to wait before connecting again, and before sending again what was refused, in milliseconds. */
const RECONNECT_MS = 20;
const RESEND_MS = 200;

/** A customer's client as it has to be: it connects again, goes on where it stopped and sends again what nobody confirmed. */
export class PersistentCustomer {
  /** The numbers of the messages that came, in the order in which they came. */
  readonly received: number[] = [];
  /** The client ids of the own messages that were confirmed. */
  readonly confirmed = new Set<string>();
  private readonly unconfirmed = new Map<string, string>();
  private socket: WebSocket | undefined;
  private isDone = false;
  private readonly finished: Promise<void>;

  /** @param url of the session's socket, on whichever process there is at the time */
  constructor(
    private readonly url: () => string,
    private readonly sessionToken: string,
  ) {
    this.finished = this.stayConnected();
  }

  /** Resolves when the message is confirmed. */
  async say(clientId: string): Promise<void> {
    this.unconfirmed.set(
      clientId,
      JSON.stringify({ type: 'message.send', clientId, text: `I say ${clientId}` }),
    );
    this.sendUnconfirmed();
    while (!this.confirmed.has(clientId)) await sleep(2);
  }

  /** Resolves when the client has all messages up to this one, and no socket any more. */
  async leaveAfter(sequence: number): Promise<void> {
    while ((this.received.at(-1) ?? 0) < sequence) await sleep(5);
    this.isDone = true;
    this.socket?.close();
    await this.finished;
  }

  private async stayConnected(): Promise<void> {
    while (!this.isDone) {
      const socket = new WebSocket(`${this.url()}?lastSequence=${this.received.at(-1) ?? 0}`, [
        'webchat.v1',
        `bearer.${this.sessionToken}`,
      ]);
      socket.on('error', () => undefined);
      socket.on('message', (data: Buffer) => this.take(JSON.parse(data.toString())));
      this.socket = socket;
      await new Promise((resolve) => socket.on('close', resolve));
      await sleep(RECONNECT_MS);
    }
  }

  private take(frame: { type: string; clientId?: string; message?: { sequence: number } }): void {
    if (frame.type === 'session.ready') this.sendUnconfirmed();
    if (frame.type === 'error') setTimeout(() => this.sendUnconfirmed(), RESEND_MS);
    if (frame.type === 'message') this.received.push(frame.message!.sequence);
    if (frame.type === 'message.accepted') {
      this.confirmed.add(frame.clientId!);
      this.unconfirmed.delete(frame.clientId!);
    }
  }

  private sendUnconfirmed(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    for (const frame of this.unconfirmed.values()) this.socket.send(frame);
  }
}
