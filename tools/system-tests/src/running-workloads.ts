import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { startBuilt, type ServiceUnderTest } from './service-under-test';
import { importRecords, WORKLOADS, type Workload } from './workloads';
import type { Target } from './episode';

/** The three services as processes over the same stores, with the records that their workloads need. */
export interface RunningWorkloads {
  readonly caller: Caller;
  readonly processes: ReadonlyMap<Workload, ServiceProcess>;
  /** All of them, to put under load. */
  readonly targets: readonly Target[];
  readonly stop: () => Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * @param databaseUrl of the migrated database itself; the services may be given another way there
 * @param environment settings of the services, or of each, `DATABASE_URL` and `REDIS_URL` among them
 */
export async function startWorkloads(
  databaseUrl: string,
  environment: Environment | ((service: ServiceUnderTest) => Environment),
): Promise<RunningWorkloads> {
  const dataSource = await openDatabase(databaseUrl, [accessDatabase]);
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  const processes = new Map(
    await Promise.all(
      WORKLOADS.map(async (workload) => {
        const own = typeof environment === 'function' ? environment(workload.service) : environment;
        const service = await startBuilt(workload.service, own);
        await importRecords(service.url, caller, workload.records);
        return [workload, service] as const;
      }),
    ),
  );
  return {
    caller,
    processes,
    targets: WORKLOADS.map((workload) => ({
      url: processes.get(workload)!.url,
      caller,
      operations: workload.operations,
    })),
    stop: async () => {
      await Promise.all([...processes.values()].map((service) => service.stop()));
    },
  };
}
