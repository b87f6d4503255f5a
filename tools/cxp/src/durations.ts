import { InvalidArgumentError } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads `<n>s|m|h|d` as seconds. */
export function parseDuration(written: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(written) ?? [];
  if (!count || !unit) throw new InvalidArgumentError('durations are <n>s, <n>m, <n>h or <n>d.');
  return Number(count) * SECONDS[unit]!;
}
