import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { storedRows } from '@cxp/testing';
import { surveyDatabase } from '../src/database';
import { AppModule } from '../src/app.module';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import type { ResponseRecord } from '../src/responses/response-fields';
import { campaignRecord, responseRecord } from './records';

/** The contract's error bodies. */
export const UNAUTHORIZED = { detail: 'Invalid or missing token' };
export const FORBIDDEN = { detail: 'Permission denied' };
export const TOO_MANY_REQUESTS = { detail: 'Rate limit exceeded' };
export const CAMPAIGN_NOT_FOUND = {
  detail: { message: 'not_found', params: { model: 'survey_campaign' } },
};
export const UNKNOWN_CAMPAIGN = {
  detail: [
    {
      loc: ['query', 'survey_campaign_id'],
      msg: 'survey_campaign_id must be a survey campaign of the organization',
      type: 'unknown_campaign',
    },
  ],
};
export function thresholdExceeded(threshold: number) {
  return { detail: { message: 'threshold_exceeded', params: { model: 'survey_link', threshold } } };
}
export function missing(...loc: (string | number)[]) {
  return { loc, msg: 'Field required', type: 'missing' };
}

const CAMPAIGNS = '/external/survey-campaigns';
const RESPONSES = '/external/survey-responses';
export const EXPORT = `${RESPONSES}/export`;
const CHANGES = '/external/survey-response-changes';
export function linksOf(campaignId: string): string {
  return `${CAMPAIGNS}/${campaignId}/links`;
}

export function startSurvey(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(AppModule, surveyDatabase, environment);
}

/** A service for the tests of a file, with an organization and a campaign id of its own for each test. */
export function useSurvey(environment: Record<string, string> = {}): Survey {
  const survey = new Survey();
  beforeAll(async () => {
    survey.service = await startSurvey(environment);
  });
  beforeEach(async () => {
    survey.caller = await survey.service.caller();
    survey.campaignId = randomUUID();
  });
  afterAll(() => survey.service.stop());
  return survey;
}

export type SentRecord = readonly [type: string, data: object];
type Query = object | string;

/** The service as one organization calls it. */
export class Survey {
  service!: TestService;
  caller!: Caller;
  /** Of most records of a test. */
  campaignId: string = randomUUID();

  /** The service as another caller sees it, by default of another organization. */
  async other(options?: Parameters<TestService['caller']>[0]): Promise<this> {
    return this.with({ caller: await this.service.caller(options) });
  }

  /** The same at another process. */
  at({ url }: Pick<TestService, 'url'>): this {
    return this.with({ service: { ...this.service, url } });
  }

  private with(parts: Partial<Survey>): this {
    return Object.assign(Object.create(Object.getPrototypeOf(this) as object) as this, this, parts);
  }

  get(path: string, query: Query = {}): request.Test {
    return request(this.service.url).get(path).set(this.caller.headers).query(query);
  }

  post(path: string, body?: object): request.Test {
    return request(this.service.url).post(path).set(this.caller.headers).send(body);
  }

  /** Sends a body as it is, as JSON unless the headers say something else. */
  postText(path: string, body: string | Buffer, headers: Record<string, string> = {}): request.Test {
    const post = request(this.service.url).post(path).set('content-type', 'application/json');
    return post
      .set({ ...this.caller.headers, ...headers })
      .serialize((text: string) => text)
      .send(body);
  }

  /** Sends lines to the intake as the platform does. */
  sendRecords(...lines: readonly (object | string)[]): request.Test {
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    return this.postText('/internal/records', texts.join('\n'), { 'content-type': 'application/x-ndjson' });
  }

  async import(...records: readonly SentRecord[]): Promise<void> {
    const lines = records.map(([type, data]) => ({ type, data }));
    await this.sendRecords(...lines).expect(200, { accepted: records.length });
  }

  /** @returns the id */
  async importCampaign(parts: Partial<CampaignRecord> = {}): Promise<string> {
    const record = campaignRecord({ id: this.campaignId, ...parts });
    await this.import(['survey_campaign', record]);
    return record.id;
  }

  importResponses(...records: readonly object[]): Promise<void> {
    return this.import(...records.map((record) => ['survey_response', record] as const));
  }

  /** A record of a response of the campaign. */
  response(parts: Partial<ResponseRecord> = {}): ResponseRecord {
    return responseRecord({ survey_campaign_id: this.campaignId, ...parts });
  }

  /** C1. */
  listCampaigns(query: Query = {}): request.Test {
    return this.get(CAMPAIGNS, query);
  }

  /** The window of C2 and C3 that most responses of tests are in. */
  get january() {
    return { survey_campaign_id: this.campaignId, start_date: '2026-01-01', end_date: '2026-01-31' };
  }

  /** C2, in January unless the query says something else. */
  listResponses(query: Query = {}): request.Test {
    return this.get(RESPONSES, typeof query === 'string' ? query : { ...this.january, ...query });
  }

  /** C3, in January unless the query says something else; the body of the answer is a `Buffer`. */
  exportResponses(query: Query = {}, accept = '*/*'): request.Test {
    return request(this.service.url)
      .post(EXPORT)
      .set(this.caller.headers)
      .set('accept', accept)
      .query(typeof query === 'string' ? query : { ...this.january, ...query })
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      });
  }

  /** The rows of C3 as JSON. */
  async exportedRows(query: Query = {}): Promise<Record<string, unknown>[]> {
    const { body } = await this.exportResponses(query, 'application/json').expect(200);
    return (JSON.parse(String(body)) as { items: Record<string, unknown>[] }).items;
  }

  /** C4. */
  createLink(body: unknown, campaignId = this.campaignId): request.Test {
    return this.postText(linksOf(campaignId), JSON.stringify(body));
  }

  changes(query: Query = {}): request.Test {
    return this.get(CHANGES, query);
  }
}

/** Campaigns that C2 to C4 do not know. */
export const UNKNOWN_CAMPAIGNS: [what: string, idOf: (survey: Survey) => Promise<string>][] = [
  ['does not exist', () => Promise.resolve(randomUUID())],
  [
    'is named by responses only',
    async (survey) => {
      const awaited = randomUUID();
      await survey.importResponses(survey.response({ survey_campaign_id: awaited }));
      return awaited;
    },
  ],
  [
    'is of another organization',
    async (survey) => (await survey.other()).importCampaign({ id: randomUUID() }),
  ],
];

/** Everything that is stored of the organization, and all of Redis, as text. */
export async function everythingOf({ service, caller }: Survey): Promise<string> {
  const { dataSource, redis } = service;
  const rows = await storedRows(dataSource, 'survey');
  const texts: unknown[] = rows.filter((row) => row.includes(caller.organizationId));
  for (const key of await redis.keys('*')) texts.push(key, await redis.dump(key));
  return JSON.stringify(texts);
}
