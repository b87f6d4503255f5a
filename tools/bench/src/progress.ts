import { performance } from 'node:perf_hooks';

let stepsPlanned = 0;
let stepsBegun = 0;

/** Says how many steps will be reported, so that each report can say what remains. */
export function planSteps(count: number): void {
  stepsPlanned += count;
}

/**
 * Prints on standard error what the benchmark does next: the seconds since its start, the number of the step, and, by the steps so
 * far, how long the rest takes.
 */
export function reportProgress(step: string): void {
  const seconds = performance.now() / 1_000;
  const left = Math.max(0, stepsPlanned - stepsBegun);
  const remaining =
    left === 0 ? '' : `  about ${stepsBegun === 0 ? '?' : ((seconds / stepsBegun) * left).toFixed(0)} s left`;
  stepsBegun += 1;
  const number = stepsPlanned > 0 ? `  ${stepsBegun}/${Math.max(stepsPlanned, stepsBegun)}` : '';
  console.error(`${seconds.toFixed(0).padStart(5)} s${number}${remaining}  ${step}`);
}
