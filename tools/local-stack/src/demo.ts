import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { openDatabase } from '@cxp/storage';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  ALL_PERMISSIONS,
  ApiTokenRepository,
  ApiTokenVerifier,
  EXTERNAL_PERMISSIONS,
  OrganizationRepository,
  type Permissions,
  accessDatabase,
} from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { demoRecords, type DemoRecord } from './demo-data';
import { cxp } from './processes';
import type { DemoFacts, StackEnvironment } from './running-stack';
import type { LocalStackSettings } from './settings';

const DEMO_ORGANIZATION = { id: 'demo', name: 'Demo organization' };
/** "After delivery". */
const DEMO_CAMPAIGN = '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01';
const DEMO_DATA = join(__dirname, '../demo');

/** What is known before the services run. */
export type DemoAccess = Omit<DemoFacts, 'demoPage' | 'surveyLink'>;

/** Brings the demo organization, its tokens and its data up to date. */
export async function prepareDemo(
  { directory, services }: LocalStackSettings,
  environment: StackEnvironment & NodeJS.ProcessEnv,
): Promise<DemoAccess> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = environment;
  const tokens = await prepareTokens(databaseUrl, directory);
  const recent = demoRecords(new Date());
  const recentOf: Record<string, readonly DemoRecord[]> = {
    'contact-center': recent.contactCenter,
    survey: recent.survey,
  };
  for (const { area } of services) {
    const kept = readFileSync(join(DEMO_DATA, `${area}.ndjson`), 'utf8');
    const file = join(directory, `demo-${area}.ndjson`);
    writeFileSync(
      file,
      kept + (recentOf[area] ?? []).map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
    await cxp(environment, 'import', '--area', area, '--organization', DEMO_ORGANIZATION.id, file);
  }
  return {
    organizationId: DEMO_ORGANIZATION.id,
    ...tokens,
    installedSourceId: 1,
    urls: Object.fromEntries(services.map(({ urlKey, url }) => [urlKey, url])),
    databaseUrl,
    redisUrl,
  };
}

async function prepareTokens(databaseUrl: string, directory: string) {
  const dataSource = await openDatabase(databaseUrl, [accessDatabase]);
  try {
    await new OrganizationRepository(dataSource.manager).create(DEMO_ORGANIZATION);
    const tokens = new ApiTokenRepository(dataSource.manager);
    return {
      token: await prepareToken(tokens, EXTERNAL_PERMISSIONS, join(directory, 'demo-token')),
      platformToken: await prepareToken(tokens, ALL_PERMISSIONS, join(directory, 'demo-platform-token')),
    };
  } finally {
    await dataSource.destroy();
  }
}

/** The token of the last run if it is still stored and may do the same, else a new one. */
async function prepareToken(
  tokens: ApiTokenRepository,
  permissions: Permissions,
  tokenFile: string,
): Promise<string> {
  const kept = existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8') : '';
  const found = await new ApiTokenVerifier(tokens).verify(kept);
  if (typeof found !== 'string') {
    if (isDeepStrictEqual(found.permissions, permissions)) return kept;
    await tokens.revoke(found.id);
  }
  const { token } = await tokens.issue({
    organizationId: DEMO_ORGANIZATION.id,
    name: 'npm start',
    permissions,
    lifetimeSeconds: null,
  });
  writeFileSync(tokenFile, token, { mode: 0o600 });
  return token;
}

/** The public address of a demo survey. The same mapping always gives the same link. */
export async function createSurveyLink({ organizationId, token, urls }: DemoAccess): Promise<string | null> {
  const { surveyLinks } = new CxpClient({ organizationId, token, urls });
  return (await surveyLinks.create(DEMO_CAMPAIGN, { name: 'Demo' })).url;
}
