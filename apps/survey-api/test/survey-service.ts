import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '../src/database';
import { AppModule } from '../src/app.module';

/** The contract's error bodies. */
export const UNAUTHORIZED = { detail: 'Invalid or missing token' };
export const FORBIDDEN = { detail: 'Permission denied' };
export const TOO_MANY_REQUESTS = { detail: 'Rate limit exceeded' };
export const CAMPAIGN_NOT_FOUND = {
  detail: { message: 'not_found', params: { model: 'survey_campaign' } },
};
export function thresholdExceeded(threshold: number) {
  return { detail: { message: 'threshold_exceeded', params: { model: 'survey_link', threshold } } };
}

export const CAMPAIGNS = '/external/survey-campaigns';
export const RESPONSES = '/external/survey-responses';
export const EXPORT = '/external/survey-responses/export';
export function linksOf(campaignId: string): string {
  return `${CAMPAIGNS}/${campaignId}/links`;
}

export function startSurvey(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(AppModule, surveyDatabase, environment);
}

type Target = Pick<TestService, 'url'>;
type Query = Readonly<Record<string, string | number | readonly string[]>>;

/** Takes records in as the platform does; each is `[type, data]`. */
export async function importRecords(
  service: Target,
  caller: Caller,
  ...records: readonly (readonly [type: string, data: object])[]
): Promise<void> {
  await request(service.url)
    .post('/internal/records')
    .set(caller.headers)
    .set('content-type', 'application/x-ndjson')
    .send(records.map(([type, data]) => JSON.stringify({ type, data })).join('\n'))
    .expect(200, { accepted: records.length });
}

export function listCampaigns(service: Target, caller: Caller, query: Query | string = {}): request.Test {
  return request(service.url).get(CAMPAIGNS).set(caller.headers).query(query);
}

export function listResponses(service: Target, caller: Caller, query: Query | string): request.Test {
  return request(service.url).get(RESPONSES).set(caller.headers).query(query);
}

/** Everything that is stored of the organization, and all of Redis, as text. */
export async function everythingOf(
  { dataSource, redis }: TestService,
  { organizationId }: Caller,
): Promise<string> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT format('survey.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'survey'`,
  );
  const texts: unknown[] = [];
  for (const { name } of tables) {
    texts.push(
      await dataSource.query(
        `SELECT stored::text FROM ${name} AS stored WHERE stored::text LIKE '%' || $1 || '%'`,
        [organizationId],
      ),
    );
  }
  for (const key of await redis.keys('*')) texts.push(key, await redis.dump(key));
  return JSON.stringify(texts);
}

/** C3; the body of the answer is a `Buffer`. */
export function exportResponses(
  service: Target,
  caller: Caller,
  query: Query | string,
  accept = '*/*',
): request.Test {
  return request(service.url)
    .post(EXPORT)
    .set(caller.headers)
    .set('accept', accept)
    .query(query)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(null, Buffer.concat(chunks)));
    });
}

export function createLink(service: Target, caller: Caller, campaignId: string, body: unknown): request.Test {
  return postText(service, linksOf(campaignId), caller.headers, JSON.stringify(body));
}

/** Sends a body as it is, as JSON unless the headers say something else. */
export function postText(
  service: Target,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): request.Test {
  const post = request(service.url).post(path).set('content-type', 'application/json').set(headers);
  return post.serialize((text: string) => text).send(body);
}

export function missing(...loc: (string | number)[]) {
  return { loc, msg: 'Field required', type: 'missing' };
}
