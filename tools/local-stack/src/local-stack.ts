import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@cxp/testing';
import { prepareCertificate } from './certificate';
import { cxp } from './cxp';
import { DEMO_ORGANIZATION, type DemoFacts, prepareDemo, removeDemoFile, writeDemoFile } from './demo';
import { assertPortsAreFree } from './ports';
import { removeStackEnvironment, type StackEnvironment, writeStackEnvironment } from './running-stack';
import { serveApp, untilReady } from './served-app';
import type { LocalStackSettings } from './settings';
import { holdDirectory } from './single-instance';

/** Takes something to do when the stack stops: the last one first, also when the start fails half way. */
export type OnStop = (stop: () => void | Promise<void>) => void;

export interface LocalStack {
  readonly facts: DemoFacts;
  /** Resolves when a service ends by itself, to a line that says so. */
  readonly broken: Promise<string>;
}

/** Brings up databases, schemas, services and demo data. @throws one line that says what is in the way */
export async function startLocalStack(
  settings: LocalStackSettings,
  outside: NodeJS.ProcessEnv,
  onStop: OnStop,
): Promise<LocalStack> {
  const { directory, services } = settings;
  await holdDirectory(directory);
  await assertPortsAreFree([
    ...services,
    { app: "webchat-gateway's TLS", port: settings.webchatTlsPort, portVariable: 'WEBCHAT_TLS_PORT' },
  ]);
  removeDemoFile(directory);

  const stackEnvironment = await prepareEnvironment(settings, outside, await openDatabases(settings, onStop));
  writeStackEnvironment(directory, stackEnvironment);
  onStop(() => removeStackEnvironment(directory));
  const environment = { ...outside, ...stackEnvironment };
  await cxp(environment, 'migrate');

  const served = services.map((service) => ({
    service,
    process: serveApp(service.app, directory, environment),
  }));
  onStop(async () => {
    await Promise.all(served.map(({ process }) => process.stop()));
  });
  const [facts] = await Promise.all([
    prepareDemo(settings, environment),
    ...served.map(({ service, process }) => untilReady(process, service)),
  ]);
  writeDemoFile(directory, facts);
  onStop(() => removeDemoFile(directory));

  const broken = Promise.race(
    served.map(async ({ service, process }) => `${service.app} ended with status ${await process.exited}`),
  );
  return { facts, broken };
}

/** The databases that the settings name, or own ones that keep their data in the stack's directory. */
async function openDatabases({ directory, databaseUrl, redisUrl }: LocalStackSettings, onStop: OnStop) {
  const open = async (start: typeof startPostgres, name: string) => {
    const server = await start({ directory: join(directory, name) });
    onStop(server.stop);
    return server.url;
  };
  const [DATABASE_URL, REDIS_URL] = await Promise.all([
    databaseUrl ?? open(startPostgres, 'postgres'),
    redisUrl ?? open(startRedis, 'redis'),
  ]);
  return { DATABASE_URL, REDIS_URL };
}

/** The settings that services can't do without, where the environment does not have them. */
async function prepareEnvironment(
  { directory, webchatTlsPort }: LocalStackSettings,
  outside: NodeJS.ProcessEnv,
  databases: { DATABASE_URL: string; REDIS_URL: string },
): Promise<StackEnvironment> {
  const certificate = await prepareCertificate(directory);
  return {
    ...databases,
    WEBCHAT_WEBSOCKET_URL: outside.WEBCHAT_WEBSOCKET_URL || `wss://localhost:${webchatTlsPort}/websocket`,
    WEBCHAT_TLS_PORT: String(webchatTlsPort),
    WEBCHAT_TLS_CERT: outside.WEBCHAT_TLS_CERT || certificate.cert,
    WEBCHAT_TLS_KEY: outside.WEBCHAT_TLS_KEY || certificate.key,
    WEBCHAT_DEMO_ORGANIZATION: outside.WEBCHAT_DEMO_ORGANIZATION || DEMO_ORGANIZATION.id,
    WEBCHAT_SESSION_TOKEN_KEYS:
      outside.WEBCHAT_SESSION_TOKEN_KEYS || `local:${randomBytes(32).toString('hex')}`,
    ACCOUNT_SESSION_SECRET: outside.ACCOUNT_SESSION_SECRET || randomBytes(32).toString('hex'),
    // Nobody sends requests while Ctrl-C is pressed.
    SHUTDOWN_DRAIN_SECONDS: outside.SHUTDOWN_DRAIN_SECONDS || '0',
  };
}
