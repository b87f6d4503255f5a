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
export type DemoAccess = Omit<DemoFacts, 'demoPage' | 'report' | 'surveyLink'>;

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

/**
 * Makes what the samples of the reference name, so that none is refused: a session, and certificates of erasures of nobody.
 * @returns the session's token, and what the demo has in place of texts of the examples
 */
export async function prepareSamples({
  organizationId,
  token,
  urls,
  installedSourceId,
  demoPage,
}: DemoFacts) {
  const client = new CxpClient({ organizationId, token, urls });
  const session = await client.sessions.create({
    installedSourceId,
    user: { id: 'customer-4711', name: 'Hoa' },
  });
  for (const url of Object.values(urls)) {
    const answer = await fetch(`${url}/external/erasures`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'organization-id': organizationId,
        'auth-type': 'token',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        id: 'c4a1e6d2-9b3f-4f7e-8a5d-6e2b1c0f9d83',
        subject: { emails: ['nobody@example.com'] },
      }),
    });
    if (!answer.ok) throw new Error(`${url} refuses the demo's erasure: ${answer.status}`);
  }
  return {
    SESSION_TOKEN: session.sessionToken,
    examples: {
      '0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11': session.sessionId,
      '5b6f2a0e-3a59-4a8e-8d0a-2f0a4a1a9a77': session.conversationId,
      'https://hooks.example.com/cxp': `${demoPage}/hints`,
    },
  };
}
