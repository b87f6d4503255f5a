import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@cxp/testing/local-servers';
import { writeDocuments } from '@cxp/openapi/documents';
import { createSurveyLink, prepareDemo, prepareSamples } from './demo';
import { exampleConversations } from './demo-data';
import { prepareReport } from './demo-report';
import { cxp, serveApp, untilReady } from './processes';
import {
  type DemoFacts,
  removeDemoFacts,
  removeStackEnvironment,
  shellVariables,
  type StackEnvironment,
  writeDemoFacts,
  writeStackEnvironment,
} from './running-stack';
import { type Certificate, prepareCertificate, startSampleBackend } from './sample-backend/sample-backend';
import type { LocalStackSettings } from './settings';
import { assertPortsAreFree, holdDirectory } from './start-checks';

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
  report: (step: string) => void,
): Promise<LocalStack> {
  const { directory, services } = settings;
  await holdDirectory(directory);
  await assertPortsAreFree([
    ...services,
    { app: 'the sample backend', port: settings.webchatTlsPort, portVariable: 'WEBCHAT_TLS_PORT' },
  ]);
  removeDemoFacts(directory);
  const documents = join(directory, 'docs');
  rmSync(documents, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  mkdirSync(documents, { mode: 0o700 }); // A token is in their examples.

  report(settings.databaseUrl ? 'Using DATABASE_URL' : 'Starting PostgreSQL');
  report(
    settings.redisUrl ? 'Using REDIS_URL' : 'Starting Redis (its first start downloads a Debian package)',
  );
  const certificate = await prepareCertificate(directory);
  const databases = await openDatabases(settings, onStop);
  const stackEnvironment = prepareEnvironment(settings, outside, databases, certificate);
  writeStackEnvironment(directory, stackEnvironment);
  onStop(() => removeStackEnvironment(directory));
  // The second is of the sample backend: a service would warn of it.
  const { INTERNAL_PORT: internalPort, WEBCHAT_TLS_PORT: _, ...passedOn } = outside;
  const environment = { ...passedOn, ...stackEnvironment };
  if (internalPort)
    report('INTERNAL_PORT is not used: three services would share it. /internal is at the port of each');
  report('Migrating the schemas');
  await cxp(environment, 'migrate').catch((error: Error) => {
    const isUnusable = !settings.databaseUrl && error.message.includes('use an empty database');
    if (!isUnusable) throw error;
    const kept = settings.redisUrl ? ['postgres'] : ['postgres', 'redis'];
    const named = kept.map((name) => join(directory, name)).join(' and ');
    throw new Error(`The demo data are of another version. Remove ${named}, and start again`);
  });

  report(`Starting ${services.map(({ app }) => app).join(', ')}, and loading demo data`);

  const served = services.map((service) => ({
    service,
    process: serveApp(service.app, environment),
  }));
  onStop(async () => {
    await Promise.all(served.map(({ process }) => process.stop()));
  });
  const [access] = await Promise.all([
    prepareDemo(settings, environment),
    ...served.map(async ({ service, process }) => {
      await untilReady(process, service);
      report(`${service.app} is ready`);
    }),
  ]);
  const backend = await startSampleBackend({
    ...access,
    // Its page is the agent, too.
    token: access.platformToken,
    urls: { webchat: access.urls.webchat!, contactCenter: access.urls.contactCenter! },
    examples: exampleConversations(new Date()),
    report: await prepareReport(directory, access),
    port: settings.webchatTlsPort,
    certificate,
  });
  onStop(() => backend.close());
  const facts: DemoFacts = {
    ...access,
    demoPage: backend.pageUrl,
    report: `${backend.pageUrl}/report`,
    surveyLink: await createSurveyLink(access),
  };
  const { SESSION_TOKEN, examples } = await prepareSamples(facts);
  await writeDocuments(documents, { ...shellVariables(directory, facts), SESSION_TOKEN }, examples);
  writeDemoFacts(directory, facts);
  onStop(() => removeDemoFacts(directory));

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
function prepareEnvironment(
  { directory, webchatTlsPort, services }: LocalStackSettings,
  outside: NodeJS.ProcessEnv,
  databases: { DATABASE_URL: string; REDIS_URL: string },
  certificate: Certificate,
): StackEnvironment {
  return {
    ...databases,
    WEBCHAT_WEBSOCKET_URL: outside.WEBCHAT_WEBSOCKET_URL || `wss://localhost:${webchatTlsPort}/websocket`,
    WEBCHAT_SESSION_TOKEN_KEYS:
      outside.WEBCHAT_SESSION_TOKEN_KEYS || `local:${randomBytes(32).toString('hex')}`,
    CONTACT_CENTER_RECORDS_URL:
      outside.CONTACT_CENTER_RECORDS_URL ||
      `${services.find(({ area }) => area === 'contact-center')!.url}/internal/records`,
    SERVICE_TOKEN_KEYS: outside.SERVICE_TOKEN_KEYS || `local:${randomBytes(32).toString('hex')}`,
    WEBHOOK_SECRET_KEYS: outside.WEBHOOK_SECRET_KEYS || prepareWebhookKeys(directory),
    // A receiver of hints may listen on this machine, with the local stack's own certificate.
    WEBHOOK_ALLOWED_NETWORKS: outside.WEBHOOK_ALLOWED_NETWORKS || '127.0.0.0/8,::1',
    NODE_EXTRA_CA_CERTS: trustedCertificates(directory, certificate.cert, outside.NODE_EXTRA_CA_CERTS),
    SURVEY_PUBLIC_URL: outside.SURVEY_PUBLIC_URL || services.find(({ area }) => area === 'survey')!.url,
    ACCOUNT_SESSION_SECRET: outside.ACCOUNT_SESSION_SECRET || randomBytes(32).toString('hex'),
    DOCUMENTS_DIRECTORY: join(directory, 'docs'),
    // At Ctrl-C there are no requests to wait for.
    SHUTDOWN_DRAIN_SECONDS: outside.SHUTDOWN_DRAIN_SECONDS || '0',
  };
}

/** A file of the stack's own certificate, and of those that its environment trusts. */
function trustedCertificates(directory: string, own: string, outside: string | undefined): string {
  if (!outside || !existsSync(outside)) return own;
  const file = join(directory, 'tls/trusted.pem');
  writeFileSync(file, `${readFileSync(own, 'utf8')}\n${readFileSync(outside, 'utf8')}`);
  return file;
}

/** Kept between runs, as the secrets that they encrypt. */
function prepareWebhookKeys(directory: string): string {
  const file = join(directory, 'webhook-secret-keys');
  if (!existsSync(file)) writeFileSync(file, `local:${randomBytes(32).toString('hex')}`, { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
