import { Revision } from '../src/revision';
import { AttackedServices, WORST_INPUTS } from '../src/worst/measure-worst';

/**
 * Of three times the input: n·log n takes about 3.3 times, n² nine times. A small part of an input would take less than its share, because
 * the memory that it needs is not collected while it is measured.
 */
const MAX_RATIO = 7;
/** More items than this are halved: n² takes a quarter of its time then, which is enough to be seen. */
const FEW = 100;
/** Differences of processor time below this are noise, in milliseconds. */
const NOISE_MS = 20;
const RUNS = 1;
const MEASUREMENTS = 3;

/** So many of the largest responses: an answer that is kept as a whole takes more memory than it may. */
const RESPONSES = 1_000;
const RESPONSE_BYTES = 60_000;
const MAX_MEGABYTES = 64;

let attacked: AttackedServices;
beforeAll(async () => {
  attacked = await AttackedServices.start(await Revision.here());
}, 60_000);
afterAll(() => attacked.stop(), 60_000);

const SIZED = WORST_INPUTS.filter(({ size }) => size !== undefined);

it.each(SIZED)(
  '$name: processor time grows at most like n·log n',
  async (input) => {
    const size = input.size! > FEW ? Math.ceil(input.size! / 2) : input.size!;
    const least = Math.ceil(size / 64);
    // The first call of a route compiles what it runs: it is not counted.
    const sizes = [least, least, Math.ceil(size / 3), size];
    const ratios: number[] = [];
    // Other work of the machine disturbs a measurement: one of some has to be low.
    do {
      const [, small, third, whole] = await attacked.measure(input, sizes, RUNS);
      expect([0, 500, 502, 503]).not.toContain(whole!.status);
      const above = (taken: typeof whole) => Math.max(NOISE_MS, taken!.processorMs - small!.processorMs);
      ratios.push(above(whole) / above(third));
    } while (ratios.at(-1)! >= MAX_RATIO && ratios.length < MEASUREMENTS);
    expect(Math.min(...ratios)).toBeLessThan(MAX_RATIO);
  },
  300_000,
);

it.each(WORST_INPUTS.filter(({ name }) => /survey-response-changes: .*largest responses/.test(name)))(
  '$name: the memory that it takes does not grow with the answer',
  async (input) => {
    const megabytes: number[] = [];
    // When memory is collected differs from run to run: one of some has to be low.
    do {
      const [taken] = await attacked.measure(input, [RESPONSES], 0);
      expect(taken).toMatchObject({ status: 200 });
      expect(taken!.bytes).toBeGreaterThan(RESPONSES * RESPONSE_BYTES);
      megabytes.push(taken!.megabytes);
    } while (megabytes.at(-1)! >= MAX_MEGABYTES && megabytes.length < MEASUREMENTS);
    expect(Math.min(...megabytes)).toBeLessThan(MAX_MEGABYTES);
  },
  600_000,
);
