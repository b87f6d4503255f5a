import { setTimeout as sleep } from 'node:timers/promises';
import { createService } from './create-service';
import { Health } from './health/health';
import type { ServiceDefinition } from './service-definition';
import { loadSettings, SettingsError } from './settings/load-settings';
import type { ServiceSettings } from './settings/service-settings';

/** All of a service's `main.ts`: settings, listen, and a shutdown that loses no request. */
export async function runService<Settings extends ServiceSettings>(
  service: ServiceDefinition<Settings>,
): Promise<void> {
  try {
    // The only place where a service reads its environment.
    // eslint-disable-next-line no-restricted-properties
    const settings = loadSettings(service.settings, process.env);
    const app = await createService(service, settings);
    const health = app.get(Health);
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      health.startDraining();
      await sleep(settings.SHUTDOWN_DRAIN_SECONDS * 1_000);
      await app.close();
    };
    process.on('SIGTERM', () => void stop());
    process.on('SIGINT', () => void stop());
    await app.listen({ port: service.port(settings), host: settings.LISTEN_HOST });
  } catch (error) {
    process.stderr.write(`${service.name}: ${startFailure(error)}\n`);
    process.exit(1);
  }
}

function startFailure(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
