import { startService, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { imageEnvironment } from '../image-environment';

/** The organization that is measured. */
export const ORGANIZATION = 'bench';

/** contact-center-export as its image runs it, without rate limits; or `entry`, with the same settings. */
export function startContactCenter(
  postgres: LocalServer,
  redis: LocalServer,
  entry = 'dist/apps/contact-center-export/main.js',
): Promise<ServiceProcess> {
  return startService({
    entry,
    env: {
      ...imageEnvironment(),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      BENCH_ORGANIZATION: ORGANIZATION,
      // The bare handlers log nothing.
      LOG_LEVEL: 'warn',
      EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT: '1000000',
      EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT: '1000000',
    },
    portVariable: 'CONTACT_CENTER_PORT',
  });
}
