import type { ServiceProcess } from '@cxp/testing/local-servers';
import type { TestService } from '@cxp/service-kit/testing';
import { startBuilt, type ServiceUnderTest } from './service-under-test';
import { createTenant, type Tenant } from './tenants';

/** A service in this process and, over the same stores, as its build, with organizations that have data. */
export interface BuiltService {
  readonly inProcess: TestService;
  readonly built: ServiceProcess;
  readonly tenant: Tenant;
  /** Another organization. */
  readonly other: Tenant;
}

/**
 * For the tests of a `describe`, which may read it.
 * @param settings of the built one, beside those of its stores
 */
export function useBuiltService(
  service: ServiceUnderTest,
  settings: (stores: Readonly<Record<string, string>>) => Readonly<Record<string, string>> = () => ({}),
): BuiltService {
  const used = {} as { -readonly [Part in keyof BuiltService]: BuiltService[Part] };
  beforeAll(async () => {
    used.inProcess = await service.startInProcess();
    const stores = used.inProcess.environment;
    used.built = await startBuilt(service, { ...stores, LOG_LEVEL: 'warn', ...settings(stores) });
    used.tenant = await createTenant(service, used.built.url, used.inProcess.dataSource);
    used.other = await createTenant(service, used.built.url, used.inProcess.dataSource);
  }, 60_000);
  afterAll(async () => {
    await used.built?.stop();
    await used.inProcess?.stop();
  });
  return used;
}
