/** From n to 16n, n·log n grows by less than 32, and n² by 256. */
export const MOST_GROWTH_OF_16N = 80;

/** @returns the least processor time of some runs, in microseconds: the others were interrupted more */
export function processorTimeOf(work: () => void): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
