import { FLOOD_FACTOR } from './socket-limits';

/** Counts the frames of one socket in windows of a second. */
export class FrameRate {
  private second = 0;
  private count = 0;

  constructor(private readonly framesPerSecond: number) {}

  take(nowMs: number): 'allowed' | 'too_many' | 'flood' {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.count = 0;
    }
    this.count += 1;
    if (this.count <= this.framesPerSecond) return 'allowed';
    return this.count <= this.framesPerSecond * FLOOD_FACTOR ? 'too_many' : 'flood';
  }
}
