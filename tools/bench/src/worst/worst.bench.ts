import { Revision } from '../revision';
import { AttackedServices, type Taken } from './attacked-services';
import { allWorstInputs } from './worst-inputs';

/** What no legal input may pass. */
const AIMS = { holdMs: 50, megabytes: 64 };

/**
 * The most expensive legal input of every route, record type and frame, and what it takes of its service.
 * @param pattern of the names of those that are measured
 */
export async function benchWorst(pattern: RegExp, runs: number): Promise<void> {
  const chosen = allWorstInputs().filter(({ name }) => pattern.test(name));
  const here = await Revision.here();
  const attacked = await AttackedServices.start(await here.built());
  const rows: Record<string, Record<string, string | number>> = {};
  for (const { service, input, name } of chosen) {
    rows[name] = await attacked.measure(service, input, [input.size ?? 0], runs, true).then(
      ([taken]) => rowOf(taken!),
      (error: unknown) => ({ passed: String(error).slice(0, 300) }),
    );
    console.error(`${name}: ${JSON.stringify(rows[name])}`);
  }
  await attacked.stop();
  console.table(rows);
}

function rowOf({ status, bytes, holdMs, processorMs, megabytes }: Taken): Record<string, string | number> {
  const failed = status === 0 || status >= 500;
  const passed = [failed && 'failed', holdMs > AIMS.holdMs && 'hold', megabytes > AIMS.megabytes && 'memory'];
  return {
    status,
    'kB out': Math.round(bytes / 1_000),
    'processor ms': Math.round(processorMs),
    'hold ms': Math.round(holdMs),
    'MB above idle': Math.round(megabytes),
    passed: passed.filter(Boolean).join(', '),
  };
}
