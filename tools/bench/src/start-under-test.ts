import { startService, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import { imageEnvironment } from './image-environment';

interface Stores {
  readonly postgres: LocalServer;
  readonly redis: LocalServer;
}

/** A service as its image runs it, without rate limits; or `entry`, a bare implementation, with the same settings. */
export function startUnderTest(
  { name, portVariable, settings }: ServiceUnderTest,
  { postgres, redis }: Stores,
  {
    entry = `dist/apps/${name}/main.js`,
    env = {},
  }: { readonly entry?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ServiceProcess> {
  return startService({
    entry,
    portVariable,
    env: {
      ...imageEnvironment(),
      ...settings,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      // The bare handlers log nothing.
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
}
