import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The environment of whatever runs beside the local stack (`nx serve`, `cxp`); in a file while the stack runs. */
export interface StackEnvironment {
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly WEBCHAT_WEBSOCKET_URL: string;
  readonly WEBCHAT_SESSION_TOKEN_KEYS: string;
  readonly SHUTDOWN_DRAIN_SECONDS: string;
}

export function writeStackEnvironment(directory: string, environment: StackEnvironment): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(file(directory), `${JSON.stringify({ environment }, null, 2)}\n`, { mode: 0o600 });
}

/** @returns nothing when no stack runs there */
export function readStackEnvironment(directory: string): StackEnvironment | undefined {
  try {
    const { environment } = JSON.parse(readFileSync(file(directory), 'utf8')) as {
      environment: StackEnvironment;
    };
    return environment;
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
