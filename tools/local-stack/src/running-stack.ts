import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lastWeek } from './last-week';

const WORKSPACE_ROOT = resolve(__dirname, '../../..');

/** The environment of commands beside the local stack (`nx serve`, `cxp`); in a file while the stack runs. */
export interface StackEnvironment {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly WEBCHAT_WEBSOCKET_URL: string;
  readonly WEBCHAT_SESSION_TOKEN_KEYS: string;
  readonly CONTACT_CENTER_RECORDS_URL: string;
  readonly SERVICE_TOKEN_KEYS: string;
  readonly WEBHOOK_SECRET_KEYS: string;
  readonly WEBHOOK_ALLOWED_NETWORKS: string;
  readonly NODE_EXTRA_CA_CERTS: string;
  readonly SURVEY_PUBLIC_URL: string;
  readonly ACCOUNT_SESSION_SECRET: string;
  readonly DOCUMENTS_DIRECTORY: string;
  readonly SHUTDOWN_DRAIN_SECONDS: string;
}

/** Where a local stack keeps its data and what describes it: `LOCAL_STACK_DIRECTORY`, by default `.local`. */
export function stackDirectory(environment: NodeJS.ProcessEnv): string {
  return resolve(WORKSPACE_ROOT, environment.LOCAL_STACK_DIRECTORY || '.local');
}

export function writeStackEnvironment(directory: string, environment: StackEnvironment): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(stackFile(directory), `${JSON.stringify(environment, null, 2)}\n`, { mode: 0o600 });
}

/** @returns nothing when no stack runs there */
export function readStackEnvironment(directory: string): StackEnvironment | undefined {
  try {
    return JSON.parse(readFileSync(stackFile(directory), 'utf8')) as StackEnvironment;
  } catch {
    return undefined;
  }
}

export function removeStackEnvironment(directory: string): void {
  rmSync(stackFile(directory), { force: true });
}

function stackFile(directory: string): string {
  return join(directory, 'stack.json');
}

/** What a newcomer, or a script, needs to call the demo: the contents of `demo.json`. */
export interface DemoFacts {
  readonly organizationId: string;
  /** May do everything that an integrator may. */
  readonly token: string;
  /** May do everything: call `/internal` as the platform's own programs do (records, the agent's side of chats), and what `token` may. */
  readonly platformToken: string;
  readonly installedSourceId: number;
  readonly urls: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The chat page of the sample backend. */
  readonly demoPage: string;
  /** Of the demo's last week. */
  readonly report: string;
  /** The public address of a demo survey. */
  readonly surveyLink: string | null;
}

/** Writes them for programs, and for a shell that sources `demo.env`. The files are there only while the stack is ready. */
export function writeDemoFacts(directory: string, facts: DemoFacts): void {
  writeFileSync(demoFile(directory), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  const lines = Object.entries(shellVariables(directory, facts)).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`,
  );
  writeFileSync(shellFile(directory), lines.join(''), { mode: 0o600 });
}

/** What a shell needs to call the demo, and the examples of the documents page show. */
export function shellVariables(
  directory: string,
  { organizationId, token, urls }: DemoFacts,
): Record<string, string> {
  const { monday, sunday } = lastWeek(new Date());
  return {
    ORGANIZATION_ID: organizationId,
    API_TOKEN: token,
    WEBCHAT_URL: urls.webchat!,
    CONTACT_CENTER_URL: urls.contactCenter!,
    SURVEY_URL: urls.survey!,
    LAST_MONDAY: monday,
    LAST_SUNDAY: sunday,
    // Node.js trusts the local stack's own certificate with it.
    NODE_EXTRA_CA_CERTS: join(directory, 'tls/cert.pem'),
  };
}

/** @returns undefined when no stack is ready there */
export function readDemoFacts(directory: string): DemoFacts | undefined {
  try {
    return JSON.parse(readFileSync(demoFile(directory), 'utf8')) as DemoFacts;
  } catch {
    return undefined;
  }
}

export function removeDemoFacts(directory: string): void {
  for (const one of [demoFile(directory), shellFile(directory)]) rmSync(one, { force: true });
}

function demoFile(directory: string): string {
  return join(directory, 'demo.json');
}

function shellFile(directory: string): string {
  return join(directory, 'demo.env');
}
