import { AttackedServices } from '../src/worst/attacked-services';
import { allWorstInputs } from '../src/worst/worst-inputs';

/** Of four times the input: n·log n takes between four and five times, n² sixteen times. */
const MAX_RATIO = 8;
/** What takes less than this at its limit may grow as it likes, in milliseconds of processor time. */
const CHEAP_MS = 40;
/** Differences of processor time below this are noise, in milliseconds. */
const NOISE_MS = 5;
const RUNS = 3;

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
    const sizes = [Math.ceil(size / 64), Math.ceil(size / 4), size].map((size) => ({ input, size }));
    const [least, quarter, whole] = await attacked.measure(service, sizes, RUNS);
    expect([0, 500, 502, 503]).not.toContain(whole!.status);
    if (whole!.processorMs < CHEAP_MS) return;
    const above = (taken: typeof whole) => Math.max(NOISE_MS, taken!.processorMs - least!.processorMs);
    expect(above(whole) / above(quarter)).toBeLessThan(MAX_RATIO);
  },
  300_000,
);
