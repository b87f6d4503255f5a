import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastWeek } from './last-week';

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
  /** The public address of a demo survey. */
  readonly surveyLink: string | null;
}

/** Writes them for programs, and for a shell that sources `demo.env`. The files are there only while the stack is ready. */
export function writeDemoFacts(directory: string, facts: DemoFacts): void {
  writeFileSync(file(directory), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
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
    return JSON.parse(readFileSync(file(directory), 'utf8')) as DemoFacts;
  } catch {
    return undefined;
  }
}

export function removeDemoFacts(directory: string): void {
  for (const one of [file(directory), shellFile(directory)]) rmSync(one, { force: true });
}

function file(directory: string): string {
  return join(directory, 'demo.json');
}

function shellFile(directory: string): string {
  return join(directory, 'demo.env');
}
