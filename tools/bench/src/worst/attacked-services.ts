import { DataSource } from 'typeorm';
import { startPostgres, startRedis, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { headersOf, signed } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { ALL_AREAS, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { createTenant, type Tenant } from '@cxp/services/tenants';
import { migrate } from '@cxp/storage';
import { forgetPeak, peakResidentMegabytes, residentMegabytes } from '../peak-memory';
import { probe, PROBED } from '../probe';
import { startUnderTest } from '../start-under-test';
import { median } from '../statistics';
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

const ENVIRONMENT = {
  SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT: '1000000',
  SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: '1000000',
  SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT: '1000000',
  SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT: '1000000',
};

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
    private readonly stores: { readonly postgres: LocalServer; readonly redis: LocalServer },
    private readonly dataSource: DataSource,
  ) {}

  static async start(): Promise<AttackedServices> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    for (const area of ALL_AREAS) await migrate(area, postgres.url);
    const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    return new AttackedServices({ postgres, redis }, dataSource);
  }

  /**
   * Prepares inputs, each in an organization of its own, and sends them in turn to a process that has nothing left of those before.
   * @param runs after one to warm up
   * @returns the medians of each; memory: the most
   */
  async measure(
    service: ServiceUnderTest,
    inputs: readonly { readonly input: WorstInput; readonly size: number }[],
    runs: number,
  ): Promise<Taken[]> {
    const { url } = await this.preparer(service);
    const { dataSource } = this;
    const prepared = [];
    for (const { input, size } of inputs) {
      prepared.push(await prepareInput(input, { service, url, dataSource }, size));
    }
    const process = await this.cleanProcess(service, prepared[0]!.tenant);
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
    for (const service of this.preparing.values()) await (await service).stop();
    for (const { process } of this.measured.values()) await process.stop();
    await Promise.all([this.stores.postgres.stop(), this.stores.redis.stop()]);
  }

  private async cleanProcess(service: ServiceUnderTest, tenant: Tenant): Promise<ServiceProcess> {
    const known = this.measured.get(service);
    const isClean =
      known &&
      (await probe(known.process).then(
        ({ resident }) => resident / MB < known.freshMb + CLEAN_MB,
        () => false,
      ));
    if (isClean) return known.process;
    await known?.process.stop();
    const process = await startUnderTest(service, this.stores, { env: { ...ENVIRONMENT, ...PROBED } });
    await warmUp(service, process, tenant);
    const { resident } = await probe(process);
    this.measured.set(service, { process, freshMb: resident / MB });
    return process;
  }

  private preparer(service: ServiceUnderTest): Promise<ServiceProcess> {
    const known = this.preparing.get(service) ?? startUnderTest(service, this.stores, { env: ENVIRONMENT });
    this.preparing.set(service, known);
    return known;
  }
}

/** Prepares an input in an organization of its own. */
export async function prepareInput(
  input: WorstInput,
  place: Omit<Place, 'tenant'>,
  size = input.size ?? 0,
): Promise<{ readonly tenant: Tenant; readonly attack: Attack }> {
  const tenant = await createTenant(place.service, place.url, place.dataSource);
  return { tenant, attack: await input.prepare({ ...place, tenant }, size) };
}

async function warmUp(service: ServiceUnderTest, { url }: ServiceProcess, tenant: Tenant): Promise<void> {
  for (const route of KNOWN_ROUTES.filter((route) => route.service === service)) {
    for (let n = 0; n < WARM_UP_CALLS; n++) {
      await rawCall(url, signed(route, route.request(tenant), headersOf(route, tenant)));
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
