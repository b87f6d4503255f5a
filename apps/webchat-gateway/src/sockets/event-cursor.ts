import type { ChatEvent } from '../chat-protocol/server-frames';

/** A page of the longest messages takes half of what may wait for a client. */
const PAGE_SIZE = 20;

export interface EventFlow {
  readonly load: (after: number, limit: number) => Promise<readonly ChatEvent[]>;
  readonly sendStored: (event: ChatEvent) => void;
  /** Resolves when the client can read more. */
  readonly untilRead: () => Promise<void>;
  readonly sendFrame: (frame: string) => void;
}

/**
 * Delivers events to one socket: each once, in order, without gaps. The next number is sent as it is. Any other number only
 * shows that events are to be loaded: live events come from several processes, perhaps twice, out of order, or never.
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

  /** @throws errors of loading */
  async onEvent(event: number, frame: string): Promise<void> {
    if (event === this.delivered + 1 && !this.isLoading) {
      this.delivered = event;
      this.flow.sendFrame(frame);
    } else {
      await this.onStored(event);
    }
  }

  /**
   * Reports that events up to this number are stored.
   * @throws errors of loading
   */
  async onStored(event: number): Promise<void> {
    if (event <= this.delivered) return;
    this.announced = Math.max(this.announced, event);
    await this.loadAll();
  }

  /**
   * Delivers all stored events.
   * @throws errors of loading
   */
  async loadAll(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (;;) {
        const { announced } = this;
        const sent = await this.sendPage();
        // A client may never read: nothing but the frames is in memory then.
        await this.flow.untilRead();
        // An event announced during the read may be stored after it.
        const isComplete = this.announced === announced || this.announced <= this.delivered;
        if (sent < PAGE_SIZE && isComplete) return;
      }
    } finally {
      this.isLoading = false;
    }
  }

  /** @returns the number of events */
  private async sendPage(): Promise<number> {
    const events = await this.flow.load(this.delivered, PAGE_SIZE);
    for (const event of events) {
      this.delivered = event.event;
      this.flow.sendStored(event);
    }
    return events.length;
  }
}
