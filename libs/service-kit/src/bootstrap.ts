import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UnusableStoreError } from '@cxp/storage';
import { createApp } from './create-app';
import { Health } from './health/health';
import { createHttpServer, listen, untilSent } from './http/http-server';
import { createLogger, logWarnings } from './logging/logger';
import type { AppModuleClass } from './platform.module';
import { processEnvironment, SettingsError } from './settings/environment';
import { loadSettings } from './settings/load-settings';
import type { ServiceSettings } from './settings/service-settings';

/** Milliseconds of a stop for what is still received or sent. With the drain and the internal port's wait, a pod has a minute. */
const CLOSE_MS = 30_000;

/** Milliseconds for leaving the stores when requests are over: a store that can't be reached does not answer. */
const STORES_MS = 1_000;

export async function bootstrap<Settings extends ServiceSettings>(
  appModule: AppModuleClass<Settings>,
): Promise<void> {
  let settings: Settings | undefined;
  try {
    settings = loadSettings(appModule.settings, processEnvironment);
    const logger = createLogger(appModule.serviceName, settings.LOG_LEVEL);
    logWarnings((line) => logger.warn(line));
    const { SHUTDOWN_DRAIN_SECONDS, LISTEN_HOST, INTERNAL_PORT } = settings;
    const { port, envelope } = appModule.platform(settings);
    const app = await createApp(appModule, settings);
    const health = app.get(Health);
    let closeInternal: (() => Promise<void>) | undefined;
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      health.startDraining();
      await sleep(SHUTDOWN_DRAIN_SECONDS * 1_000);
      // Requests at the internal port end first, because they use the stores.
      await closeInternal?.();
      // Clients that don't read, or hardly send, would keep the process.
      setTimeout(() => app.getHttpServer().closeAllConnections(), CLOSE_MS).unref();
      await app.close();
      await untilSent(port);
      setTimeout(() => process.exit(), STORES_MS).unref();
    };
    process.on('SIGTERM', () => void stop());
    process.on('SIGINT', () => void stop());
    if (INTERNAL_PORT) {
      const fastify = app.getHttpAdapter().getInstance();
      const handle: RequestListener = (request, response) => fastify.routing(request, response);
      const internal = createHttpServer({ handle, envelope, logger });
      closeInternal = await listen(internal, INTERNAL_PORT, LISTEN_HOST);
    }
    await app.listen({ port, host: LISTEN_HOST });
  } catch (error) {
    process.stderr.write(`${appModule.serviceName}: ${startFailure(error, settings)}\n`);
    process.exit(1);
  }
}

function startFailure(error: unknown, settings: ServiceSettings | undefined): string {
  if (error instanceof SettingsError || error instanceof UnusableStoreError) return error.message;
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') {
    const [variable] =
      Object.entries(settings ?? {}).find(([name, value]) => name.endsWith('_PORT') && value === port) ?? [];
    return `port ${port} is taken: end what listens there, or set ${variable}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
