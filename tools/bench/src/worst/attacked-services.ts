import { DataSource } from 'typeorm';
import type { ServiceProcess } from '@cxp/local-servers';
import { soundRequest } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import { createTenant, type Tenant } from '@cxp/services/tenants';
import type { Revision } from '../revision';
import { Target } from '../target';
import { forgetPeak, peakResidentMegabytes, residentMegabytes } from '../process-memory';
import { probe, PROBED } from '../probe';
import { median } from '../measure';
import { rawCall } from './raw-call';
import type { Attack, Place, WorstInput } from './worst-input';

/** What one run of an input took of the service's process. */
export interface Taken {
  readonly status: number;
  readonly bytes: number;
  readonly holdMs: number;
  readonly processorMs: number;
  /** At most, above the idle process. */
  readonly megabytes: number;
}

/** Calls of each route before anything is measured, so that its code is loaded. */
const WARM_UP_CALLS = 5;

const MB = 1_024 * 1_024;

/** What a process may keep of an input, in megabytes, for another one to be measured after it. */
const CLEAN_MB = 16;

/** A process that is measured. */
interface Measured {
  readonly process: ServiceProcess;
  /** What it had resident before its first input. */
  readonly freshMb: number;
}

/** Both stores, and services over them: one that prepares inputs, and another one that is measured. */
export class AttackedServices {
  private readonly preparing = new Map<ServiceUnderTest, Promise<ServiceProcess>>();
  private readonly measured = new Map<ServiceUnderTest, Measured>();

  private constructor(
    private readonly target: Target,
    private readonly dataSource: DataSource,
  ) {}

  /** @param revision built */
  static async start(revision: Revision): Promise<AttackedServices> {
    const target = await Target.start(revision);
    const dataSource = new DataSource({ type: 'postgres', url: target.postgres.url });
    return new AttackedServices(target, await dataSource.initialize());
  }

  /**
   * Prepares an input at several sizes, each in an organization of its own, and sends them in turn to a process.
   * @param runs after one to warm up
   * @param isClean whether the process must have nothing left of other inputs, as its memory requires
   * @returns the medians of each; memory: the most
   */
  async measure(
    service: ServiceUnderTest,
    input: WorstInput,
    sizes: readonly number[],
    runs: number,
    isClean: boolean,
  ): Promise<Taken[]> {
    const { url } = await this.preparer(service);
    const { dataSource } = this;
    const prepared = [];
    for (const size of sizes) prepared.push(await prepareInput(input, { service, url, dataSource }, size));
    const process = await this.process(service, prepared[0]!.tenant, isClean);
    const taken: Taken[][] = prepared.map(() => []);
    const idle = residentMegabytes(process);
    for (let run = 0; run <= runs; run++) {
      for (const [i, { attack }] of prepared.entries()) {
        forgetPeak(process);
        const { status, bytes } = await attack(process.url, run);
        const megabytes = Math.max(0, peakResidentMegabytes(process) - idle);
        const { holdMs, processorMs } = await probe(process);
        taken[i]!.push({ status, bytes, holdMs, processorMs, megabytes });
      }
    }
    return taken.map(summary);
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await this.target.stop();
  }

  private async process(
    service: ServiceUnderTest,
    tenant: Tenant,
    mustBeClean: boolean,
  ): Promise<ServiceProcess> {
    const known = this.measured.get(service);
    const isUsable =
      known &&
      (await probe(known.process).then(
        ({ resident }) => !mustBeClean || resident / MB < known.freshMb + CLEAN_MB,
        () => false,
      ));
    if (isUsable) return known.process;
    await known?.process.stop();
    const process = await this.target.startProcess(service, PROBED);
    await warmUp(service, process, tenant);
    const { resident } = await probe(process);
    this.measured.set(service, { process, freshMb: resident / MB });
    return process;
  }

  private preparer(service: ServiceUnderTest): Promise<ServiceProcess> {
    const known = this.preparing.get(service) ?? this.target.startProcess(service);
    this.preparing.set(service, known);
    return known;
  }
}

/** Prepares an input in an organization of its own. */
async function prepareInput(
  input: WorstInput,
  place: Omit<Place, 'tenant'>,
  size: number,
): Promise<{ readonly tenant: Tenant; readonly attack: Attack }> {
  const tenant = await createTenant(place.service, place.url, place.dataSource);
  return { tenant, attack: await input.prepare({ ...place, tenant }, size) };
}

async function warmUp(service: ServiceUnderTest, { url }: ServiceProcess, tenant: Tenant): Promise<void> {
  for (const route of KNOWN_ROUTES.filter((route) => route.service === service)) {
    for (let n = 0; n < WARM_UP_CALLS; n++) {
      await rawCall(url, soundRequest(route, tenant));
    }
  }
}

function summary(runs: readonly Taken[]): Taken {
  const [first] = runs as readonly [Taken];
  const rest = runs.length > 1 ? runs.slice(1) : runs;
  return {
    status: first.status,
    bytes: Math.max(...runs.map(({ bytes }) => bytes)),
    holdMs: median(rest.map(({ holdMs }) => holdMs)),
    processorMs: median(rest.map(({ processorMs }) => processorMs)),
    megabytes: Math.max(...runs.map(({ megabytes }) => megabytes)),
  };
}
