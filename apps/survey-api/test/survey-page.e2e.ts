import request from 'supertest';
import { storedRows } from '@cxp/testing';
import { renderSVG } from 'uqr';
import { BRAND, FORM, identifierIn, LinkedCampaign, PAGE_SETTINGS, PNG, QUESTIONS } from './survey-page';
import { startSurvey, useSurvey } from './survey-service';

const survey = useSurvey(PAGE_SETTINGS);
let campaign: LinkedCampaign;

beforeEach(async () => {
  campaign = await LinkedCampaign.create(survey.service);
});

describe('GET /s/{public_id}', () => {
  it('answers the questions of the campaign, with a new response id each time', async () => {
    const first = await campaign.open('?lang=en').expect(200);
    const second = await campaign.open('?lang=en').expect(200);
    for (const { title } of QUESTIONS) expect(first.text).toContain(title);
    expect(first.text).toContain('Question 8 of 8');
    expect(identifierIn(second.text)).not.toBe(identifierIn(first.text));
  });

  it('shows options in the numeric order of their ids', async () => {
    const { text } = await campaign.open().expect(200);
    const places = ['Opening hours', 'Price', 'Quality', 'Staff'].map((title) => text.indexOf(title));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(Math.min(...places)).toBeGreaterThan(0);
  });

  it('lets each text of the campaign have its own direction', async () => {
    await campaign.change({ name: 'استبيان' });
    const { text } = await campaign.open().expect(200);
    const texts = QUESTIONS.flatMap((question) => [
      question.title,
      ...Object.values(question.option_titles_by_id ?? {}),
      ...Object.values(question.row_titles_by_id ?? {}),
      ...(question.column_titles ?? []),
    ]);
    for (const title of [...texts.filter((title) => !/^\d+$/.test(title)), 'استبيان']) {
      expect(text).toMatch(new RegExp(`dir="auto"[^>]*>${title.replace(/[?]/g, '\\?')}<`));
    }
  });

  it('has headers by which it is neither kept, indexed, framed nor able to load anything of others', async () => {
    const { headers } = await campaign.open().expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.any(String),
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(policyOf(headers)).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': expect.stringMatching(/^'sha256-[^' ]+'$/),
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it('has these headers however its path is written', async () => {
    const path = campaign.path.replace('/s/', '/%73/');
    const [page, same] = [
      await campaign.open().expect(200),
      await request(survey.service.url).get(path).expect(200),
    ];
    for (const name of ['content-security-policy', 'cache-control', 'referrer-policy', 'x-frame-options'])
      expect(same.headers[name]).toBe(page.headers[name]);
  });

  it('names no other host', async () => {
    const { text } = await campaign.open().expect(200);
    expect(text).not.toMatch(/(https?:)?\/\/[a-z]/i);
  });

  it('keeps the name of the link, its metadata and the answers of others to itself', async () => {
    const linked = await LinkedCampaign.create(survey.service, QUESTIONS, {
      name: 'Link of the flagship store',
      metadata_mapping: [{ metadata_id: 1, value: 'Hà Nội 01' }],
    });
    const identifier = await linked.newIdentifier();
    await linked.submitForm({ identifier, q5: 'A secret of another customer' }).expect(200);
    const { text } = await linked.open().expect(200);
    for (const secret of ['flagship', 'Hà Nội', 'store', 'secret', linked.caller.organizationId]) {
      expect(text).not.toContain(secret);
    }
  });

  it('stores nothing, however often and by whatever method it is opened', async () => {
    const before = await storedRows(survey.service.dataSource, 'survey');
    const keys = (await survey.service.redis.keys('*')).length;
    for (let n = 0; n < 5; n++) await campaign.open().expect(200);
    await request(survey.service.url).head(campaign.path).expect(200);
    expect(await storedRows(survey.service.dataSource, 'survey')).toEqual(before);
    expect(await campaign.responses()).toEqual([]);
    expect((await survey.service.redis.keys('*')).length).toBeLessThanOrEqual(keys + 3); // of C2
  });

  it.each<[query: string, accepted: string, ofCampaign: 'vi' | 'en' | null, language: string]>([
    ['', '', null, 'vi'],
    ['', 'th', 'en', 'en'],
    ['', 'en-US,en;q=0.9', 'vi', 'en'],
    ['?lang=vi', 'en', 'en', 'vi'],
  ])(
    'answers %s with Accept-Language %s, of a campaign in %s, in %s',
    async (query, accepted, of, language) => {
      await campaign.change({ language: of });
      const { text } = await campaign.open(query).set('accept-language', accepted).expect(200);
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toContain({ vi: 'Gửi câu trả lời', en: 'Send answers' }[language]);
      expect(text).toContain(`/responses?lang=${language}"`);
      expect(/<h1[^>]*>/.exec(text)![0]).toBe(of ? `<h1 dir="auto" lang="${of}">` : '<h1 dir="auto">');
      expect(text.includes(`id="q2" lang="${of}"`)).toBe(of !== null);
      expect(text.includes(`id="q2-hint" lang="${language}"`)).toBe(of !== null);
      expect(text).toContain(`?lang=${language === 'vi' ? 'en' : 'vi'}"`);
    },
  );

  it.each([
    ['draft', 'This survey is not open yet'],
    ['inactive', 'This survey is closed'],
    ['deleted', 'This survey is closed'],
  ] as const)('is a 410 page for a campaign that is %s, which says: %s', async (status, says) => {
    await campaign.change({ status });
    const { text, headers } = await campaign.open('?lang=en').expect(410);
    expect(text).toContain(says);
    expect(text).not.toMatch(/<form|Khảo sát khách hàng/);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'x-error-code': 'gone' });
  });

  it.each([
    '/s/AAAAAAAAAAAAAAAAAAAAAA',
    '/s/short',
    '/s/',
    '/s',
    '/s/a/b/c',
    '/s/%00',
    "/s/'%20OR%201=1",
    `/s/${'x'.repeat(2_000)}`,
    `/s/${'%41'.repeat(2_000)}?lang=en`,
    `/s/AAAAAAAAAAAAAAAAAAAAAA/${'x'.repeat(2_000)}`,
  ])('is a 404 page for %s', async (path) => {
    const { text, headers } = await request(survey.service.url)
      .get(path)
      .set('accept-language', 'en')
      .expect(404);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(text).toContain('Survey not found');
  });

  it('reveals by no other case and no beginning that a link exists', async () => {
    const { publicId } = campaign;
    const swapped = publicId.replace(/[a-z]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const guess of [swapped, publicId.slice(0, -1), `${publicId}A`, `${publicId}/`]) {
      await request(survey.service.url).get(`/s/${guess}`).expect(404);
    }
  });

  it('is a page also for a program that asks for JSON', async () => {
    await request(survey.service.url)
      .get('/s/AAAAAAAAAAAAAAAAAAAAAA')
      .set('accept', 'application/json')
      .expect(404)
      .expect('content-type', /html/);
  });

  it('answers another method with a page, too', async () => {
    const { text, headers } = await request(survey.service.url).delete(campaign.path).expect(405);
    expect(headers.allow).toContain('GET');
    expect(text).toContain('<!doctype html>');
  });

  it('weighs at most 50 kB with its script, for ten questions', async () => {
    const ten = await LinkedCampaign.create(survey.service, [
      ...QUESTIONS,
      { ...QUESTIONS[2]!, id: 9 },
      { ...QUESTIONS[3]!, id: 10 },
    ]);
    await ten.show(BRAND);
    const page = await ten.open().expect(200);
    const script = await request(survey.service.url).get(scriptOf(page.text).src).expect(200);
    const logo = await request(survey.service.url).get(`${ten.path}/logo`).expect(200);
    const parts = [page.text, script.text, logo.body as Buffer].map((part) => Buffer.byteLength(part));
    expect(parts.reduce((sum, part) => sum + part)).toBeLessThanOrEqual(50_000);
  });
});

describe('the brand of the organization', () => {
  it('is shown by the page, and by those that say thank you or what is wrong', async () => {
    await campaign.show(BRAND);
    const { text, headers } = await campaign.open('?lang=en').expect(200);
    expect(text).toContain('<bdi>Hoa &amp; Sons</bdi>');
    expect(text).toContain('<title>Khảo sát khách hàng – Hoa &amp; Sons</title>');
    const [, style] = /<style>(:root{--band:[^<]+)<\/style>/.exec(text)!;
    expect(style).toMatch(/^:root{--band:#c4161c;--on-band:#ffffff;--accent:#c4161c;/);
    const identifier = identifierIn(text);
    const refused = await campaign.submitForm({ identifier }, '?lang=en').expect(422);
    const thanks = await campaign.submitForm({ identifier, ...FORM }, '?lang=en').expect(200);
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(style!).digest('base64');
    await campaign.change({ status: 'inactive' });
    const closed = await campaign.open('?lang=en').expect(410);
    // The script of the page shows both.
    expect(closed.text).toContain('<h1>This survey is closed</h1><p>It is not taking answers');
    for (const answer of [{ text, headers }, refused, thanks, closed]) {
      expect(answer.text).toContain(`<style>${style}</style>`);
      expect(answer.text).toContain(`<img src="${campaign.path}/logo" alt/>`);
      expect(policyOf(answer.headers as Record<string, string>)['style-src']).toMatch(
        new RegExp(`^'sha256-[^' ]+' 'sha256-${hash.replaceAll('+', '\\+')}'$`),
      );
    }
    await campaign.change({ status: 'active' });
    await campaign.show({ ...BRAND, logo: null });
    expect((await campaign.open()).text).not.toContain('<img');
    await campaign.import(['organization_settings', {}]);
    expect((await campaign.open()).text).not.toContain('Hoa &amp; Sons');
  });

  it('has a logo that runs and loads nothing, and that emails may show', async () => {
    await campaign.show(BRAND);
    const { body, headers } = await request(survey.service.url).get(`${campaign.path}/logo`).expect(200);
    expect(String(body)).toBe(Buffer.from(BRAND.logo.split(',')[1]!, 'base64').toString());
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=3600',
    });
    await campaign.show({ ...BRAND, logo: `data:image/png;base64,${PNG.toString('base64')}` });
    const other = await request(survey.service.url)
      .get(`${campaign.path}/logo`)
      .expect('content-type', 'image/png');
    expect(other.body).toEqual(PNG);
  });

  it.each(['logo', 'qr.svg'])('is a 404 page as %s of an unknown link', async (name) => {
    const { text, headers } = await request(survey.service.url)
      .get(`/s/AAAAAAAAAAAAAAAAAAAAAA/${name}?lang=en`)
      .expect(404);
    expect(text).toContain('Survey not found');
    expect(headers['cache-control']).toBe('no-store');
    await request(survey.service.url).get(`/s/unknown/${name}`).expect(404);
  });

  it('has no logo unless the record has one', async () => {
    await request(survey.service.url).get(`${campaign.path}/logo`).expect(404);
    await campaign.show({ ...BRAND, logo: null });
    await request(survey.service.url).get(`${campaign.path}/logo`).expect(404);
  });

  it('is of this organization only', async () => {
    await campaign.show(BRAND);
    const other = await LinkedCampaign.create(survey.service);
    expect((await other.open()).text).not.toContain('Hoa &amp; Sons');
    await request(survey.service.url).get(`${other.path}/logo`).expect(404);
  });
});

it('a campaign without questions has a 410 page, whatever is asked of it', async () => {
  await campaign.change({ survey_questions: [] });
  for (const answer of [
    campaign.open('?lang=en'),
    campaign.submitForm({ q5: 'x' }, '?lang=en'),
    campaign.translate({ q5: 'x' }, '?lang=en'),
    request(survey.service.url).get(`${campaign.path}/qr.svg?lang=en`),
  ]) {
    expect((await answer.expect(410)).text).toContain('This survey is closed');
  }
});

describe('the QR code of a link', () => {
  const qrCode = () => request(survey.service.url).get(`${campaign.path}/qr.svg`);

  it('is the address of the page', async () => {
    const { body, headers } = await qrCode().expect(200);
    const paths = (svg: string) => svg.match(/ d="[^"]*"/g);
    const code = renderSVG(`https://s.example.com${campaign.path}`, { ecc: 'M', border: 4 });
    expect(paths(String(body))).toEqual(paths(code));
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
  });

  it('is the 410 page for a campaign that is not active', async () => {
    await campaign.show(BRAND);
    await campaign.change({ status: 'inactive' });
    const page = await campaign.open().expect(410);
    const { text, headers } = await qrCode().expect(410);
    expect(text).toBe(page.text);
    for (const name of ['content-type', 'content-security-policy', 'cache-control', 'x-error-code'])
      expect(headers[name]).toBe(page.headers[name]);
  });
});

describe('the script of the page', () => {
  it('is served by us, with the integrity that the page names', async () => {
    const { text } = await campaign.open().expect(200);
    const { src, integrity } = scriptOf(text);
    const answer = await request(survey.service.url).get(src).expect(200);
    const { createHash } = await import('node:crypto');
    expect(integrity).toBe(`sha256-${createHash('sha256').update(answer.text).digest('base64')}`);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is a 404 under another name', async () => {
    await request(survey.service.url).get('/s/assets/survey-page.0000000000000000.js').expect(404);
    await request(survey.service.url).get('/s/assets/..%2f..%2fpackage.json').expect(404);
  });
});

describe('settings', () => {
  const startBeside = (settings: Record<string, string>) => {
    const { DATABASE_URL, REDIS_URL } = survey.service.environment;
    return startSurvey({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL!, ...settings });
  };

  it('turn the pages off', async () => {
    const other = await startBeside({});
    const answer = await request(other.url).get(campaign.path).expect(404);
    expect(answer.body).toEqual({ detail: 'Not Found' });
    await request(other.url).post(`${campaign.path}/responses`).send({}).expect(404);
    await other.stop();
  });

  it('name the sites that may frame the pages, and the path that they are reached at', async () => {
    const other = await startBeside({
      SURVEY_PUBLIC_URL: 'https://example.com/surveys',
      SURVEY_FRAME_ANCESTORS: "'self' https://shop.example.com",
    });
    const { text, headers } = await request(other.url).get(campaign.path).expect(200);
    expect(policyOf(headers)['frame-ancestors']).toBe("'self' https://shop.example.com");
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(text).toContain(`action="/surveys${campaign.path}/responses?lang=vi"`);
    expect(scriptOf(text).src).toMatch(/^\/surveys\/s\/assets\//);
    await other.stop();
  });
});

describe('an address that chooses answers', () => {
  /** `name=value` of what is chosen in a page. */
  const chosenIn = (html: string) =>
    [...html.matchAll(/<input[^>]* name="([^"]+)" value="([^"]+)" checked/g)].map(
      ([, name, value]) => `${name}=${value}`,
    );

  it.each<[query: string, chosen: string[]]>([
    ['', []],
    ['?q2=21&q2=23&q1=0&lang=en', ['q1=0', 'q2=21', 'q2=23']],
    ['?q7=6&q99=1&q5=text&q3.31=Very&q4.41=1&q2=9', []],
    ['?q6=%22%3E%3Cscript%3E', []],
    ['?q__proto__=1&__proto__=1&q2=21', ['q2=21']],
  ])('%s chooses %j', async (query, chosen) => {
    const before = await storedRows(survey.service.dataSource, 'survey');
    const { text } = await campaign.open(query).expect(200);
    expect(chosenIn(text)).toEqual(chosen);
    expect(/not sent yet|chưa gửi\./.test(text)).toBe(chosen.length > 0);
    expect(await storedRows(survey.service.dataSource, 'survey')).toEqual(before);
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
    const before = await storedRows(survey.service.dataSource, 'survey');
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
    expect(await storedRows(survey.service.dataSource, 'survey')).toEqual(before);
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
      request(survey.service.url)
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

function policyOf(headers: Record<string, string>): Record<string, string> {
  const directives = headers['content-security-policy']!.split('; ');
  return Object.fromEntries(directives.map((directive) => /^(\S+) (.*)$/.exec(directive)!.slice(1)));
}

function scriptOf(html: string): { src: string; integrity: string } {
  const [, src, integrity] = /<script src="([^"]+)" integrity="([^"]+)" defer/.exec(html)!;
  return { src: src!, integrity: integrity! };
}
