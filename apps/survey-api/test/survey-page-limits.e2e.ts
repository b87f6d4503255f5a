import type { TestService } from '@cxp/service-kit/testing';
import { ANSWERS, FORM, identifierIn, LinkedCampaign, startSurveyWithPages } from './survey-page';
import { TOO_MANY_REQUESTS } from './survey-service';

let service: TestService;
let campaign: LinkedCampaign;

beforeAll(async () => {
  service = await startSurveyWithPages({
    SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: '2',
    SURVEY_PUBLIC_LINK_PER_MIN_LIMIT: '4',
    TRUSTED_PROXIES: '127.0.0.0/8,::1',
  });
});
beforeEach(async () => {
  await service.redis.flushdb();
  campaign = await LinkedCampaign.create(service);
});
afterAll(() => service.stop());

const from = (address: string) => ({ 'x-forwarded-for': address, 'accept-language': 'en' });

it('an address that posts too often gets a 429 page that keeps what was typed, and what it sends then is stored', async () => {
  const identifier = await campaign.newIdentifier();
  for (let n = 0; n < 2; n++) {
    await campaign.submitForm({ identifier }).set(from('198.51.100.7')).expect(422);
  }
  const { text, headers } = await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.7'))
    .expect(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(text).toContain('Your answers have not been sent yet');
  expect(text).toContain(`Please wait ${headers['retry-after']} seconds`);
  expect(text).toContain('Rất tốt 😀');
  expect(text).toMatch(/name="q1" value="9" checked/);
  expect(identifierIn(text)).toBe(identifier);
  expect(await campaign.responses()).toEqual([]);

  await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.8'))
    .expect(200);
  expect(await campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
});

it('JSON that comes too often is a 429 in the envelope of the area', async () => {
  const identifier = await campaign.newIdentifier();
  const post = () => campaign.submitJson({ identifier, state: 'opened' }).set(from('198.51.100.7'));
  await post().expect(200);
  await post().expect(200);
  const { body, headers } = await post().expect(429);
  expect(body).toEqual(TOO_MANY_REQUESTS);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
});

it('a link is limited over all addresses, and no other link is', async () => {
  const identifier = await campaign.newIdentifier();
  for (let n = 0; n < 4; n++) {
    await campaign
      .submitJson({ identifier, state: 'opened' })
      .set(from(`198.51.100.${n}`))
      .expect(200);
  }
  await campaign.submitJson({ identifier, state: 'opened' }).set(from('198.51.100.9')).expect(429);
  const other = await LinkedCampaign.create(service);
  await other
    .submitJson({ identifier: await other.newIdentifier(), state: 'opened' })
    .set(from('198.51.100.9'))
    .expect(200);
});

it('opening pages is not counted', async () => {
  for (let n = 0; n < 10; n++) await campaign.open().set(from('198.51.100.7')).expect(200);
});

it('every post is counted, also one that can not be read', async () => {
  for (const body of ['{', '[]']) await campaign.submitJson(body).set(from('198.51.100.7')).expect(422);
  await campaign.submitJson('{').set(from('198.51.100.7')).expect(429);
});

it('no address is stored, in PostgreSQL or in Redis', async () => {
  const identifier = await campaign.newIdentifier();
  await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.77'))
    .expect(200);
  const keys = await service.redis.keys('*');
  const tables: { name: string }[] = await service.dataSource.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'survey'`,
  );
  for (const { name } of tables) {
    const rows: unknown = await service.dataSource.query(`SELECT t::text FROM survey.${name} AS t`);
    expect(JSON.stringify(rows)).not.toContain('198.51.100');
  }
  expect(keys.join()).not.toContain('198.51.100');
});
