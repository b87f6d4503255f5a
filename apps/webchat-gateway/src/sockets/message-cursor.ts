import type { LiveEvent } from '../live/live-event';
import type { Message } from '../messages/message';
import type { MessageFrame } from './frames';

/** Messages that are loaded at once: few enough that a page of the longest ones is no burden in memory. */
const PAGE_SIZE = 50;

/** Where messages come from and where they go. */
export interface MessageFlow {
  /** The next messages after a number, oldest first. */
  readonly load: (after: number, limit: number) => Promise<readonly Message[]>;
  /** Sends what was stored before, and resolves when the client can take more. */
  readonly sendStored: (frame: string) => Promise<void>;
  /** Sends what has just happened. */
  readonly sendLive: (frame: string) => void;
}

/**
 * Delivers the messages of a conversation to one socket: each once, in order, none left out. The next one in turn goes
 * straight through. Any other event only shows that there is something to load: events come from several processes, may
 * come twice, in another order, or not at all.
 */
export class MessageCursor {
  private announced: number;
  private isLoading = false;

  /** @param delivered the number of the last message that the client has */
  constructor(
    private delivered: number,
    private readonly flow: MessageFlow,
  ) {
    this.announced = delivered;
  }

  /** @throws what loading throws */
  async onEvent({ sequence, frame }: LiveEvent): Promise<void> {
    if (sequence <= this.delivered) return;
    this.announced = Math.max(this.announced, sequence);
    if (this.isLoading) return;
    if (sequence === this.delivered + 1 && frame) {
      this.delivered = sequence;
      this.flow.sendLive(frame);
    } else {
      await this.loadAll();
    }
  }

  /** Delivers all there is, announced or not. @throws what loading throws */
  async loadAll(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (;;) {
        const { announced } = this;
        const messages = await this.flow.load(this.delivered, PAGE_SIZE);
        for (const message of messages) {
          this.delivered = message.sequence;
          await this.flow.sendStored(JSON.stringify({ type: 'message', message } satisfies MessageFrame));
        }
        // What was announced meanwhile may have been stored after the page was read.
        const isComplete = this.announced === announced || this.announced <= this.delivered;
        if (messages.length < PAGE_SIZE && isComplete) return;
      }
    } finally {
      this.isLoading = false;
    }
  }
}
