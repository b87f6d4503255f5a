import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

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
  writeFileSync(file(directory), `${JSON.stringify(environment, null, 2)}\n`, { mode: 0o600 });
}

/** @returns nothing when no stack runs there */
export function readStackEnvironment(directory: string): StackEnvironment | undefined {
  try {
    return JSON.parse(readFileSync(file(directory), 'utf8')) as StackEnvironment;
  } catch {
    return undefined;
  }
}

export function removeStackEnvironment(directory: string): void {
  rmSync(file(directory), { force: true });
}

function file(directory: string): string {
  return join(directory, 'stack.json');
}
