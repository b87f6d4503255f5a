import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import type { TestService } from '../src/testing';

/** The sample service as a real process over the stores of a test service. */
export function startSampleProcess(
  { environment }: Pick<TestService, 'environment'>,
  settings: Record<string, string> = {},
): Promise<ServiceProcess> {
  return startService({
    entry: 'libs/service-kit/test/sample-main.ts',
    env: { ...environment, LOG_LEVEL: 'info', ...settings },
    portVariable: 'SAMPLE_PORT',
  });
}
