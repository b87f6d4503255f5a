import type { ChatEvent } from '../chat-protocol/events';

/** Events that are loaded at once: few enough that a page of the longest messages is small in memory. */
const PAGE_SIZE = 50;

export interface EventFlow {
  readonly load: (after: number, limit: number) => Promise<readonly ChatEvent[]>;
  /** Sends an event that was stored before. Resolves when the client can read more. */
  readonly sendStored: (event: ChatEvent) => Promise<void>;
  readonly sendLive: (frame: string) => void;
}

/**
 * Delivers the events of a conversation to one socket: each once, in order, without gaps. The next event in turn is
 * passed on as it is. Any other only shows that there is something to load: live events come from several processes and may
 * come twice, in another order, or not at all.
 */
export class EventCursor {
  private announced: number;
  private isLoading = false;

  constructor(
    private delivered: number,
    private readonly flow: EventFlow,
  ) {
    this.announced = delivered;
  }

  /** @throws what loading throws */
  async onEvent(event: number, frame: string): Promise<void> {
    if (event === this.delivered + 1 && !this.isLoading) {
      this.delivered = event;
      this.flow.sendLive(frame);
    } else {
      await this.onStored(event);
    }
  }

  /** There are stored events up to this number. @throws what loading throws */
  async onStored(event: number): Promise<void> {
    if (event <= this.delivered) return;
    this.announced = Math.max(this.announced, event);
    await this.loadAll();
  }

  /** Delivers all events that are stored, announced or not. @throws what loading throws */
  async loadAll(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (;;) {
        const { announced } = this;
        const events = await this.flow.load(this.delivered, PAGE_SIZE);
        for (const event of events) {
          this.delivered = event.event;
          await this.flow.sendStored(event);
        }
        // An event that was announced meanwhile may have been stored after the page was read.
        const isComplete = this.announced === announced || this.announced <= this.delivered;
        if (events.length < PAGE_SIZE && isComplete) return;
      }
    } finally {
      this.isLoading = false;
    }
  }
}
