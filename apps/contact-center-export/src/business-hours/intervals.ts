/** A half-open stretch of time, in milliseconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The parts of the intervals between two bounds, counted from the first bound, in order and with overlaps joined. */
export function unionWithin(intervals: readonly Interval[], lower: number, upper: number): Interval[] {
  const union: { from: number; to: number }[] = [];
  const clipped = intervals
    .map(({ from, to }) => ({ from: Math.max(from, lower) - lower, to: Math.min(to, upper) - lower }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  for (const { from, to } of clipped) {
    const last = union.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else union.push({ from, to });
  }
  return union;
}

/** How much of the intervals, which must not overlap, lies before a point. */
export function lengthBefore(intervals: readonly Interval[], point: number): number {
  return intervals.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, point) - from), 0);
}
