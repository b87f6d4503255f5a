import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { ALL_PERMISSIONS, ApiTokenRepository, ApiTokenVerifier, OrganizationRepository } from '@cxp/access';
import { cxp } from './cxp';
import type { StackEnvironment } from './running-stack';
import type { LocalStackSettings } from './settings';

export const DEMO_ORGANIZATION = { id: 'demo', name: 'Demo organization' };
const DEMO_DATA = join(__dirname, '../demo');

/** What a newcomer, or a script, needs to call the demo: the contents of `demo.json`. */
export interface DemoFacts {
  readonly organizationId: string;
  readonly token: string;
  readonly installedSourceId: number;
  readonly urls: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Makes the demo organization, its token and its data what they should be, whatever was there before. */
export async function prepareDemo(
  { directory, services }: LocalStackSettings,
  environment: StackEnvironment & NodeJS.ProcessEnv,
): Promise<DemoFacts> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = environment;
  const token = await prepareToken(databaseUrl, join(directory, 'demo-token'));
  for (const { area } of services) {
    const file = join(DEMO_DATA, `${area}.ndjson`);
    await cxp(environment, 'import', '--area', area, '--organization', DEMO_ORGANIZATION.id, file);
  }
  return {
    organizationId: DEMO_ORGANIZATION.id,
    token,
    installedSourceId: 1,
    urls: Object.fromEntries(services.map(({ urlKey, url }) => [urlKey, url])),
    databaseUrl,
    redisUrl,
  };
}

/** The token of the last run as long as the database knows it, else a new one. */
async function prepareToken(databaseUrl: string, tokenFile: string): Promise<string> {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  try {
    await new OrganizationRepository(dataSource).create(DEMO_ORGANIZATION);
    const tokens = new ApiTokenRepository(dataSource);
    const kept = existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8') : '';
    if (await new ApiTokenVerifier(tokens).verify(kept)) return kept;
    const { token } = await tokens.issue({
      organizationId: DEMO_ORGANIZATION.id,
      name: 'npm start',
      permissions: ALL_PERMISSIONS,
      lifetimeSeconds: null,
    });
    writeFileSync(tokenFile, token, { mode: 0o600 });
    return token;
  } finally {
    await dataSource.destroy();
  }
}

/** There only while the stack is ready. */
export function writeDemoFile(directory: string, facts: DemoFacts): void {
  writeFileSync(demoFile(directory), `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
}

export function removeDemoFile(directory: string): void {
  rmSync(demoFile(directory), { force: true });
}

function demoFile(directory: string): string {
  return join(directory, 'demo.json');
}
