import { SERVICES } from '@cxp/services/service-under-test';
import { suite } from './row';

/** What a process costs that does nothing. */
export const start = suite<undefined>({
  name: 'a process',
  services: SERVICES,
  prepare: () => Promise.resolve(undefined),
  rows: SERVICES.map((service) => ({
    name: `${service.name}: start to ready`,
    unit: 'ms',
    aim: { of: 'figure', most: 1_000 },
    measure: async (target) => ({ value: await target.startOnce(service) }),
  })),
});
