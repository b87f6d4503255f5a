import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a newcomer, or a script, needs to call the demo: the contents of `demo.json`. */
export interface DemoFacts {
  readonly organizationId: string;
  readonly token: string;
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
  writeFileSync(shellFile(directory), shellVariables(directory, facts), { mode: 0o600 });
}

function shellVariables(directory: string, { organizationId, token, urls }: DemoFacts): string {
  return [
    `export ORGANIZATION_ID='${organizationId}'`,
    `export API_TOKEN='${token}'`,
    `export WEBCHAT_URL='${urls.webchat}'`,
    `export CONTACT_CENTER_URL='${urls.contactCenter}'`,
    `export SURVEY_URL='${urls.survey}'`,
    // Node.js trusts the local stack's own certificate with it.
    `export NODE_EXTRA_CA_CERTS='${join(directory, 'tls/cert.pem')}'`,
    '',
  ].join('\n');
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

/** What a shell sources, and the documents page shows. */
export function shellFile(directory: string): string {
  return join(directory, 'demo.env');
}
