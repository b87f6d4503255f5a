import { countUpTo } from '../sorted';

/** A half-open stretch of time, in milliseconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The parts of some intervals between two bounds, counted from the first bound. Overlaps count once. */
export class IntervalUnion {
  /** In order, none overlapping. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** The length of those before each, then of all. */
  private readonly before: number[] = [0];

  constructor(intervals: readonly Interval[], lower: number, upper: number) {
    const clipped = intervals
      .map(({ from, to }) => ({ from: Math.max(from, lower) - lower, to: Math.min(to, upper) - lower }))
      .filter(({ from, to }) => from < to)
      .sort((a, b) => a.from - b.from);
    for (const { from, to } of clipped) {
      const last = this.ends.length - 1;
      if (last >= 0 && from <= this.ends[last]!) {
        this.ends[last] = Math.max(this.ends[last]!, to);
      } else {
        this.starts.push(from);
        this.ends.push(to);
      }
    }
    for (const [place, end] of this.ends.entries()) {
      this.before.push(this.before[place]! + end - this.starts[place]!);
    }
  }

  get count(): number {
    return this.starts.length;
  }

  get length(): number {
    return this.before.at(-1)!;
  }

  /** How much of the intervals lies before a point. */
  lengthBefore(point: number): number {
    const place = countUpTo(this.starts, point) - 1;
    if (place < 0) return 0;
    return this.before[place]! + Math.min(point, this.ends[place]!) - this.starts[place]!;
  }
}

/** The sum of the numbers before each, then of all. */
export function runningSums(numbers: readonly number[]): number[] {
  const sums = [0];
  for (const [place, number] of numbers.entries()) sums.push(sums[place]! + number);
  return sums;
}
