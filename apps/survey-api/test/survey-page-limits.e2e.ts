import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait, storedRows } from '@cxp/testing';
import { SurveyPageService } from '../src/survey-pages/survey-page.service';
import { ANSWERS, BRAND, FORM, LinkedCampaign, PAGE_SETTINGS } from './survey-page';
import { useSurvey } from './survey-service';

const survey = useSurvey({
  ...PAGE_SETTINGS,
  SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT: '3',
  SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT: '2',
  TRUSTED_PROXIES: '127.0.0.0/8,::1',
});
let campaign: LinkedCampaign;

beforeEach(async () => {
  await survey.service.redis.flushdb();
  campaign = await LinkedCampaign.create(survey.service);
});

function connectToService(): Socket {
  const { port, hostname } = new URL(survey.service.url);
  return connect(Number(port), hostname.replace(/[[\]]/g, ''));
}

const from = (address: string) => ({ 'x-forwarded-for': address, 'accept-language': 'en' });

/** Uses up what an address may post. */
async function exhaust(address: string): Promise<void> {
  for (let n = 0; n < 2; n++) await campaign.postForm('%').set(from(address)).expect(422);
}

it('an address that posts too often gets a 429 page, and is accepted from elsewhere', async () => {
  const identifier = await campaign.newIdentifier();
  await exhaust('198.51.100.7');
  const { text, headers } = await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.7'))
    .expect(429);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(text).toContain('<html lang="en">');
  expect(text).toContain('please go back and send them again in a moment');
  expect(await campaign.responses()).toEqual([]);

  await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.8'))
    .expect(200);
  expect(await campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
});

it('a link can not be closed by addresses that post too often', async () => {
  const identifier = await campaign.newIdentifier();
  for (let n = 0; n < 30; n++) await exhaust(`198.51.100.${n}`);
  await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('203.0.113.9'))
    .expect(200);
});

it('an address that opens pages too often gets a 429 page, whichever pages and by whichever method', async () => {
  const other = await LinkedCampaign.create(survey.service);
  await campaign.open().set(from('198.51.100.7')).expect(200);
  await other.open().set(from('198.51.100.7')).expect(200);
  // Pictures count as pages.
  await request(survey.service.url).get(`${campaign.path}/qr.svg`).set(from('198.51.100.7')).expect(200);
  for (const picture of ['logo', 'qr.svg']) {
    await request(survey.service.url)
      .get(`${campaign.path}/${picture}`)
      .set(from('198.51.100.7'))
      .expect(429);
  }
  const unknown = Object.assign(await LinkedCampaign.create(survey.service), { publicId: 'A'.repeat(22) });
  for (const page of [campaign, other, unknown]) {
    const { text, headers } = await page.open().set(from('198.51.100.7')).expect(429);
    expect(text).toContain('One moment, please');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  await campaign.open().set(from('198.51.100.8')).expect(200);
  // What was opened before can be sent.
  await campaign.postForm('').set(from('198.51.100.7')).expect(422);
});

it('every post is counted, also one that can not be read', async () => {
  for (const body of ['%', 'q=%FF']) await campaign.postForm(body).set(from('198.51.100.7')).expect(422);
  await campaign.postForm('%').set(from('198.51.100.7')).expect(429);
});

it('a 429 looks nothing up', async () => {
  await exhaust('198.51.100.7');
  for (let n = 0; n < 3; n++) await campaign.open().set(from('198.51.100.7')).expect(200);
  await survey.service.dataSource.transaction(async (manager) => {
    await manager.query('LOCK TABLE survey.link, survey.campaign IN ACCESS EXCLUSIVE MODE');
    await campaign.submitForm(FORM).set(from('198.51.100.7')).expect(429);
    await campaign.open().set(from('198.51.100.7')).expect(429);
    expect(await statementsThatWait(manager)).toEqual([]);
  });
});

it('a page shows what the campaign and the brand are by then', async () => {
  const title = async () => /<title>(.*?)<\/title>/.exec((await campaign.open().expect(200)).text)![1];
  await campaign.change({ name: 'First' });
  expect(await title()).toBe('First');
  await campaign.show(BRAND);
  expect(await title()).toBe('First – Hoa &amp; Sons');
});

it('a page is not made for somebody who is gone', async () => {
  const pages = survey.service.app.get(SurveyPageService);
  const gone = AbortSignal.abort(new Error('gone'));
  await expect(pages.page(campaign.publicId, 'en', {}, gone)).rejects.toThrow('gone');
  await expect(pages.page(campaign.publicId, 'en', { q1: '9' }, gone)).rejects.toThrow('gone');
  await expect(pages.translate(campaign.publicId, () => new Map(), 'en', gone)).rejects.toThrow('gone');
  await expect(pages.submit(campaign.publicId, () => new Map(), 'en', gone)).rejects.toThrow('gone');
});

it('a 429 is answered before the body is there', async () => {
  await exhaust('198.51.100.7');
  const socket = connectToService();
  let answer = '';
  socket.on('data', (data) => (answer += String(data)));
  socket.write(
    [
      `POST ${campaign.path}/responses HTTP/1.1`,
      'host: x',
      'x-forwarded-for: 198.51.100.7',
      'content-type: application/x-www-form-urlencoded',
      'content-length: 1000',
      '',
      'q5=',
    ].join('\r\n'),
  );
  await eventually(() => answer.includes('</html>'));
  expect(answer).toMatch(/^HTTP\/1\.1 429 /);
  socket.destroy();
});

it('no address is stored in PostgreSQL, and none for more than a minute in Redis', async () => {
  const { text } = await campaign.open().set(from('198.51.100.77')).expect(200);
  const identifier = /name="identifier" value="([^"]+)"/.exec(text)![1]!;
  await campaign
    .submitForm({ identifier, ...FORM })
    .set(from('198.51.100.77'))
    .expect(200);
  const keys = await survey.service.redis.keys('*198.51.100*');
  for (const key of keys) {
    const life = await survey.service.redis.pttl(key);
    expect(life).not.toBe(-1);
    expect(life).toBeLessThanOrEqual(60_000);
  }
  const rows = await storedRows(survey.service.dataSource, 'survey');
  expect(rows.filter((row) => row.includes('198.51.100'))).toEqual([]);
});
