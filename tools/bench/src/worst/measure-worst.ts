import { DataSource } from 'typeorm';
import { soundRequest } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { SERVICES, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { createTenant, type Tenant } from '@cxp/services/tenants';
import { median } from '../measure';
import { forgetPeak, peakResidentMegabytes, probe, PROBED, residentMegabytes } from '../probe';
import { Revision } from '../revision';
import { Target } from '../target';
import { BY_HAND } from './by-hand';
import { derivedInputs } from './derived';
import { answerTo, type Answer, type WorstInput } from './worst-input';

/** What no legal input may pass. */
const AIMS = { holdMs: 50, megabytes: 64 };

/** Calls of each route before anything is measured, so that its code is loaded. */
const WARM_UP_CALLS = 5;

/** With the service that it is sent to. */
type InputOfService = WorstInput & { readonly service: ServiceUnderTest };

/** Of every endpoint that is not public, every record type and every frame, and what schemas do not say. */
export const WORST_INPUTS: readonly InputOfService[] = SERVICES.flatMap((service, n) =>
  [...derivedInputs(service), ...BY_HAND[n]!].map((input) => ({
    ...input,
    service,
    name: `${service.name}: ${input.name}`,
  })),
);

/** What one run of an input took of the service's process. */
export interface Taken extends Answer {
  readonly holdMs: number;
  readonly processorMs: number;
  /** At most, above the idle process. */
  readonly megabytes: number;
}

/**
 * Prints what the most expensive legal input of every route, record type and frame takes of its service.
 * @param pattern of the names of those that are measured
 */
export async function benchWorst(pattern: RegExp, runs: number): Promise<void> {
  const attacked = await AttackedServices.start(await (await Revision.here()).built());
  const rows: Record<string, Record<string, string | number>> = {};
  for (const input of WORST_INPUTS.filter(({ name }) => pattern.test(name))) {
    const row = await attacked.measure(input, [input.size ?? 0], runs).then(
      ([taken]) => rowOf(taken!),
      (error: unknown) => ({ passed: String(error).slice(0, 300) }),
    );
    rows[input.name] = row;
    console.error(`${input.name}: ${JSON.stringify(row)}`);
  }
  await attacked.stop();
  console.table(rows);
}

/** Both stores, services over them that prepare inputs, and for each input a further process that is measured. */
export class AttackedServices {
  private constructor(
    private readonly target: Target,
    private readonly dataSource: DataSource,
  ) {}

  /** @param revision built */
  static async start(revision: Revision): Promise<AttackedServices> {
    const target = await Target.start(revision);
    await target.startServices(SERVICES);
    const dataSource = new DataSource({ type: 'postgres', url: target.postgres.url });
    return new AttackedServices(target, await dataSource.initialize());
  }

  /**
   * Prepares an input at several sizes, each in an organization of its own, and sends them in turn to a process.
   * @param runs after one to warm up
   * @returns the medians of each; memory and bytes: the most
   */
  async measure(input: InputOfService, sizes: readonly number[], runs: number): Promise<Taken[]> {
    const { service } = input;
    const { url } = this.target.process(service);
    const tenants: Tenant[] = [];
    const attacks = [];
    for (const size of sizes) {
      const tenant = await createTenant(service, url, this.dataSource);
      tenants.push(tenant);
      attacks.push(await input.prepare({ service, url, tenant }, size));
    }
    const process = await this.target.startProcess(service, PROBED);
    try {
      for (const route of KNOWN_ROUTES.filter((route) => route.service === service))
        for (let n = 0; n < WARM_UP_CALLS; n++) await answerTo(process.url, soundRequest(route, tenants[0]!));
      await probe(process);
      const idle = await residentMegabytes(process);
      const taken: Taken[][] = attacks.map(() => []);
      for (let run = 0; run <= runs; run++) {
        for (const [i, attack] of attacks.entries()) {
          await forgetPeak(process);
          const { status, bytes } = await attack(process.url, run);
          const megabytes = Math.max(0, (await peakResidentMegabytes(process)) - idle);
          const { holdMs, processorMs } = await probe(process);
          taken[i]!.push({ status, bytes, holdMs, processorMs, megabytes });
        }
      }
      return taken.map(summaryOf);
    } finally {
      await process.stop();
    }
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await this.target.stop();
  }
}

function summaryOf(runs: readonly Taken[]): Taken {
  const [{ status }] = runs as readonly [Taken];
  const counted = runs.length > 1 ? runs.slice(1) : runs;
  return {
    status,
    bytes: Math.max(...runs.map(({ bytes }) => bytes)),
    holdMs: median(counted.map(({ holdMs }) => holdMs)),
    processorMs: median(counted.map(({ processorMs }) => processorMs)),
    megabytes: Math.max(...runs.map(({ megabytes }) => megabytes)),
  };
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
