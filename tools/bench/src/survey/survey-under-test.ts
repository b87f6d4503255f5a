import { startService, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { imageEnvironment } from '../image-environment';

/** survey-api as its image runs it, without rate limits; or `entry`, with the same settings and more. */
export function startSurvey(
  postgres: LocalServer,
  redis: LocalServer,
  { entry = 'dist/apps/survey-api/main.js', env = {} }: { entry?: string; env?: Record<string, string> } = {},
): Promise<ServiceProcess> {
  return startService({
    entry,
    env: {
      ...imageEnvironment(),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      // The bare handlers log nothing.
      LOG_LEVEL: 'warn',
      EXTERNAL_SURVEY_PER_SEC_LIMIT: '1000000',
      EXTERNAL_SURVEY_PER_MIN_LIMIT: '1000000',
      ...env,
    },
    portVariable: 'SURVEY_PORT',
  });
}
