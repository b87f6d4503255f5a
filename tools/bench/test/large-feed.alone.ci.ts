import { AttackedServices } from '../src/worst/attacked-services';
import { allWorstInputs } from '../src/worst/worst-inputs';

/** So many of the largest responses, 1 MiB each: more than a process may take at all. */
const RESPONSES = 300;
const MAX_MEGABYTES = 64;

let attacked: AttackedServices;
beforeAll(async () => {
  attacked = await AttackedServices.start();
}, 60_000);
afterAll(() => attacked.stop(), 60_000);

it.each(allWorstInputs().filter(({ name }) => name.includes('GET /external/survey-response-changes: ')))(
  '$name: the memory that it takes does not grow with the answer',
  async ({ service, input }) => {
    const [taken] = await attacked.measure(service, [{ input, size: RESPONSES }], 1);
    expect(taken).toMatchObject({ status: 200 });
    expect(taken!.bytes).toBeGreaterThan(RESPONSES * 1_000_000);
    expect(taken!.megabytes).toBeLessThan(MAX_MEGABYTES);
  },
  600_000,
);
