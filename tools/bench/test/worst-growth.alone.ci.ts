import { AttackedServices } from '../src/worst/attacked-services';
import { allWorstInputs } from '../src/worst/worst-inputs';

/**
 * Of three times the input: n·log n takes about 3.3 times, n² nine times. A small part of an input would take less than its share, because
 * the memory that it needs is not collected while it is measured.
 */
const MAX_RATIO = 7;
/** What takes less than this at its limit may grow as it likes, in milliseconds of processor time. */
const CHEAP_MS = 40;
/** Differences of processor time below this are noise, in milliseconds. */
const NOISE_MS = 5;
const RUNS = 2;
const MEASUREMENTS = 3;

let attacked: AttackedServices;
beforeAll(async () => {
  attacked = await AttackedServices.start();
}, 60_000);
afterAll(() => attacked.stop(), 60_000);

const SIZED = allWorstInputs().filter(({ input }) => input.size !== undefined);

it.each(SIZED)(
  '$name: processor time grows at most like n·log n',
  async ({ service, input }) => {
    const size = input.size!;
    const [alone] = await attacked.measure(service, [{ input, size }], 1);
    expect([0, 500, 502, 503]).not.toContain(alone!.status);
    if (alone!.processorMs < CHEAP_MS) return;
    const sizes = [Math.ceil(size / 64), Math.ceil(size / 3), size].map((size) => ({ input, size }));
    const ratios: number[] = [];
    // Other work of the machine disturbs a measurement: one of some has to be low.
    do {
      const [least, third, whole] = await attacked.measure(service, sizes, RUNS);
      const above = (taken: typeof whole) => Math.max(NOISE_MS, taken!.processorMs - least!.processorMs);
      ratios.push(above(whole) / above(third));
    } while (ratios.at(-1)! >= MAX_RATIO && ratios.length < MEASUREMENTS);
    expect(Math.min(...ratios)).toBeLessThan(MAX_RATIO);
  },
  300_000,
);
