interface Waiter {
  /** Calls `take` again. */
  actOnWaiting(): void;
}

/** So many frames in a window, which begins with its first frame. Sockets whose frames wait take turns. */
class FrameRate {
  members = 0;
  private left = 0;
  private endsAt = 0;
  private readonly waiting = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly frames: number,
    private readonly windowMs: number,
  ) {}

  /** @returns whether a frame is allowed now; else the waiter is called when there may be one */
  allows(waiter: Waiter): boolean {
    const now = performance.now();
    if (now >= this.endsAt && !this.timer) this.begin(now);
    if (this.left > 0) return true;
    this.waiting.add(waiter);
    this.timer ??= setTimeout(() => this.callWaiting(), this.endsAt - now).unref();
    return false;
  }

  /** @param frames that a large one counts as; what is missing is taken from later windows */
  take(frames: number): void {
    this.left -= frames;
  }

  forget(waiter: Waiter): void {
    this.waiting.delete(waiter);
  }

  private begin(now: number): void {
    this.left = this.frames + Math.min(0, this.left);
    this.endsAt = now + this.windowMs;
  }

  private callWaiting(): void {
    this.timer = undefined;
    this.begin(performance.now());
    for (const waiter of [...this.waiting]) {
      if (!this.allows(waiter)) return;
      // If it waits again, it comes after the others.
      this.waiting.delete(waiter);
      waiter.actOnWaiting();
    }
  }
}

/** The rates of sessions, or of organizations, while they have sockets. */
export class FrameRates {
  /** Sockets of all of them. */
  size = 0;
  private readonly rates = new Map<string, FrameRate>();

  constructor(
    private readonly frames: number,
    private readonly windowMs: number,
  ) {}

  sizeOf(key: string): number {
    return this.rates.get(key)?.members ?? 0;
  }

  join(key: string): FrameRate {
    const rate = this.rates.get(key) ?? new FrameRate(this.frames, this.windowMs);
    this.rates.set(key, rate);
    this.size += 1;
    rate.members += 1;
    return rate;
  }

  leave(key: string, waiter: Waiter): void {
    const rate = this.rates.get(key)!;
    rate.forget(waiter);
    this.size -= 1;
    rate.members -= 1;
    if (rate.members === 0) this.rates.delete(key);
  }
}

export type { FrameRate };
