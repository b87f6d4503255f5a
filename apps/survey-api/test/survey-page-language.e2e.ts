import request from 'supertest';
import type { TestService } from '@cxp/service-kit/testing';
import { FORM, identifierIn, LinkedCampaign, startSurveyWithPages, storedRows } from './survey-page';

let service: TestService;
let campaign: LinkedCampaign;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
beforeEach(async () => {
  campaign = await LinkedCampaign.create(service);
});
afterAll(() => service.stop());

describe('an address that chooses answers', () => {
  /** `name=value` of what is chosen in a page. */
  const chosenIn = (html: string) =>
    [...html.matchAll(/<input[^>]* name="([^"]+)" value="([^"]+)" checked/g)].map(
      ([, name, value]) => `${name}=${value}`,
    );

  it.each<[query: string, chosen: string[]]>([
    ['', []],
    ['?q7=4', ['q7=4']],
    ['?q2=21&q2=23&q1=0&lang=en', ['q1=0', 'q2=21', 'q2=23']],
    ['?q7=6&q99=1&q5=text&q3.31=Very&q4.41=1&q2=9', []],
    ['?q6=%22%3E%3Cscript%3E', []],
    ['?q7=4&q7=5', []],
    ['?q__proto__=1&__proto__=1&q2=21', ['q2=21']],
  ])('%s chooses %j', async (query, chosen) => {
    const before = await storedRows(service);
    const { text } = await campaign.open(query).expect(200);
    expect(chosenIn(text)).toEqual(chosen);
    expect(/not sent yet|chưa gửi\./.test(text)).toBe(chosen.length > 0);
    expect(await storedRows(service)).toEqual(before);
  });

  it('keeps them in the other language, and in no address', async () => {
    const { text } = await campaign.open('?lang=vi&q7=4&q2=21&q2=22&q99=1').expect(200);
    expect(text).toContain(`formaction="${campaign.path}?lang=en"`);
    const form = { identifier: identifierIn(text), q7: '4', q2: ['21', '22'] };
    const translated = await campaign.translate(form, '?lang=en').expect(200);
    expect(chosenIn(translated.text)).toEqual(['q2=21', 'q2=22', 'q7=4']);
  });
});

describe('a form that is sent for the other language', () => {
  it('is shown again with all that was typed, and stored nowhere', async () => {
    const before = await storedRows(service);
    const identifier = await campaign.newIdentifier();
    const { text, headers } = await campaign.translate({ identifier, ...FORM }, '?lang=en').expect(200);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain(`formaction="${campaign.path}?lang=vi"`);
    expect(text).not.toContain('role="alert"');
    expect(text.match(/ checked/g)).toHaveLength(8);
    expect(text).toMatch(/name="q4\.41"[^>]* value="2"/);
    expect(text.replace(/\r\n/g, '\n')).toContain('\nCảm ơn!\nRất tốt 😀</textarea>');
    expect(identifierIn(text)).toBe(identifier);
    expect(headers['cache-control']).toBe('no-store');
    expect(await storedRows(service)).toEqual(before);
  });

  it('is shown with what is wrong in it, which is refused at Send only', async () => {
    const form = {
      'q4.41': '1',
      'q4.42': '1',
      q5: 'x'.repeat(5_001),
      q1: 'gone',
      q99: 'of a question that is gone',
    };
    const { text } = await campaign.translate(form, '?lang=en').expect(200);
    expect(text).toContain('x'.repeat(5_001));
    expect(text.match(/name="q4\.4[12]"[^>]* value="1"/g)).toHaveLength(2);
    expect(text).toContain('<q dir="auto">gone</q>');
    expect(text).toContain('<q dir="auto">of a question that is gone</q>');
    expect(text).not.toContain('class="error"');
  });

  it('is refused as an answer is: a 422 page for what is no form, 413 over 64 KiB, 410 and 404', async () => {
    const post = (body: string, type: string, path = campaign.path) =>
      request(service.url)
        .post(path)
        .set('content-type', type)
        .serialize((text: string) => text)
        .send(body);
    await post('{}', 'application/json').expect(422).expect('content-type', /html/);
    await post(`q5=${'x'.repeat(65_534)}`, 'application/x-www-form-urlencoded').expect(413);
    await post('q5=x', 'application/x-www-form-urlencoded', '/s/AAAAAAAAAAAAAAAAAAAAAA').expect(404);
    await campaign.change({ status: 'inactive' });
    await post('q5=x', 'application/x-www-form-urlencoded').expect(410);
  });
});
