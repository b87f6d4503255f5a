import { randomUUID } from 'node:crypto';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import request from 'supertest';
import { campaignRecord, responseRecord } from './records';
import { type LinkedCampaign, QUESTIONS, startSurveyWithPages } from './survey-page';
import { everythingOf, importRecords, listResponses } from './survey-service';

export const ERASURES = '/external/erasures';
export const EMAIL = 'Hoa.Marker@Example.com';
export const PHONE = '+84 (90) 123-4567';
export const MARKER = 'marker-7391';

export let service: TestService;
export let caller: Caller;
export let campaign: string;

/** A service for all tests of a file, and for each an organization that has a campaign and two fields. */
export function useErasures(): void {
  beforeAll(async () => {
    service = await startSurveyWithPages();
  });
  beforeEach(async () => {
    caller = await service.caller();
    campaign = randomUUID();
    await importRecords(
      service,
      caller,
      ['survey_campaign', campaignRecord({ id: campaign, survey_questions: QUESTIONS })],
      ['metadata_field', { id: 1, name: 'Email', variable: 'email' }],
      ['metadata_field', { id: 2, name: 'Labels', variable: 'labels' }],
    );
  });
  afterAll(() => service.stop());
}

/** For the rest of a test: the organization and the campaign of a link. */
export function actWith(link: LinkedCampaign): void {
  ({ caller, campaignId: campaign } = link);
}

export const response = (parts: object = {}) => responseRecord({ survey_campaign_id: campaign, ...parts });
export const store = (...records: object[]) =>
  importRecords(service, caller, ...records.map((record) => ['survey_response', record] as const));
export const erase = (body: object, as = caller) =>
  request(service.url).post(ERASURES).set(as.headers).send(body);
export const subject = { phones: ['84901234567', '+84901234567'], emails: ['hoa.marker@example.COM '] };

export async function erased(who: object = subject) {
  const request = { id: randomUUID(), subject: who };
  let body: Record<string, unknown> = {};
  // A large erasure goes on after the answer.
  await eventually(async () => {
    ({ body } = await erase(request).expect(200));
    return body.erasedAt !== null;
  });
  return body as { id: string; found: Record<string, number>; lastChange: number; keys: object };
}

export async function listed(): Promise<Record<string, unknown>[]> {
  const window = { survey_campaign_id: campaign, start_date: '2020-01-01', end_date: '2035-01-01' };
  const { body } = await listResponses(service, caller, window).expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

export const storedLinks = () =>
  service.dataSource.query<object[]>(
    'SELECT name, metadata_mapping FROM survey.link WHERE organization_id = $1 ORDER BY id',
    [caller.organizationId],
  );

export const everything = () => everythingOf(service, caller);

export const known = () => ({
  byPhone: response({ user_phone: '(+84) 90.1234567', user_name: MARKER }),
  byEmail: response({ user_email: EMAIL, transaction_id: MARKER, tags: [MARKER] }),
  byMetadata: response({ metadata_mappings: { labels: ['x', { deep: EMAIL }] }, answers: { '5': MARKER } }),
  stranger: response({ user_phone: '+84 90 765 4321', user_email: 'other@example.com', tags: ['kept'] }),
});
