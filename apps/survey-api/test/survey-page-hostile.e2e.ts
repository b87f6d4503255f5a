import { once } from 'node:events';
import { request as sendForm } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import type { SurveyQuestion } from '../src/campaigns/survey-question';
import { FORM, LinkedCampaign, PAGE_SETTINGS, QUESTIONS, startSurveyWithPages } from './survey-page';
import { useSurvey } from './survey-service';

const survey = useSurvey(PAGE_SETTINGS);
let campaign: LinkedCampaign;
let identifier: string;

beforeEach(async () => {
  campaign = await LinkedCampaign.create(survey.service);
  identifier = await campaign.newIdentifier();
});
afterEach(async () => {
  expect(await campaign.responses()).toEqual([]);
  await campaign.submitForm({ identifier, ...FORM }).expect(200);
});

/** What would run, or break out of its place, if anything were put into the page as it is. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</textarea><svg onload=alert(1)>',
  '</title></style></script><iframe src=javascript:alert(1)>',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}${alert(1)}',
  '&lt;script&gt;&#x22;',
  '\u202e<b>\u2028',
];
/** Every tag of the page, without what is between them. */
const tags = (html: string) => html.match(/<\/?[a-z][^\s>/]*/gi)!.map((tag) => tag.toLowerCase());

describe('texts of a campaign', () => {
  it.each(ATTACKS)('%s is text wherever it comes', async (attack) => {
    const titles = { [attack]: attack, '2': attack };
    const questions: SurveyQuestion[] = QUESTIONS.map((question) => ({
      ...question,
      title: attack,
      option_titles_by_id: question.option_titles_by_id && titles,
      row_titles_by_id: question.row_titles_by_id && titles,
      column_titles: question.column_titles && [attack, 'b'],
    }));
    const harmless: SurveyQuestion[] = questions.map((question) => ({
      ...question,
      title: 'x'.repeat(20),
      option_titles_by_id: question.option_titles_by_id && { '1': 'x'.repeat(20), '2': 'x'.repeat(20) },
      row_titles_by_id: question.row_titles_by_id && { '1': 'x', '2': 'x' },
      column_titles: question.column_titles && ['x'.repeat(20), 'b'],
    }));
    await campaign.change({ name: 'x', survey_questions: harmless });
    const expected = await campaign.open().expect(200);
    await campaign.change({ name: attack, survey_questions: questions });
    const attacked = await campaign.open().expect(200);
    expect(tags(attacked.text)).toEqual(tags(expected.text));

    const fields = {
      q1: attack,
      q2: [attack],
      [`q3.${attack}`]: attack,
      [`q4.${attack}`]: '1',
      [`q4.2`]: '1',
      q5: attack,
      [`q99`]: attack,
    };
    const refused = await campaign.submitForm({ identifier, ...fields }).expect(422);
    expect(new Set(tags(refused.text))).toEqual(
      new Set([...tags(expected.text), '<a', '</a', '<q', '</q', '<li', '</li', '<ul', '</ul', '</h2']),
    );
    expect(refused.text).not.toMatch(/<(script>|img|svg onload|iframe|b>)/);
    await campaign.change({});
  });
});

describe('typed answers', () => {
  it.each(ATTACKS)('%s is shown as text', async (attack) => {
    const { text } = await campaign
      .submitForm({ identifier, q1: attack, q5: attack, q99: attack, lang: attack })
      .expect(422);
    expect(text).not.toMatch(/<(script>|img|svg onload|iframe|b>)/);
    expect(text.match(/<textarea/g)).toHaveLength(1);
    expect(text.match(/<\/textarea>/g)).toHaveLength(1);
  });

  it('an identifier that is an attack is not shown at all', async () => {
    for (const attack of ATTACKS) {
      const { text } = await campaign.submitForm({ identifier: attack }).expect(422);
      expect(text).not.toContain(attack);
    }
  });

  it('a public id that is an attack is not shown at all', async () => {
    for (const attack of ATTACKS) {
      const { text } = await request(survey.service.url)
        .get(`/s/${encodeURIComponent(attack)}`)
        .expect(404);
      expect(tags(text)).not.toContain('<img');
      expect(text).not.toContain('alert(1)');
    }
  });
});

describe('bodies', () => {
  const LIMIT = 64 * 1_024;

  it('over 64 KiB are a 413 page', async () => {
    const fits = `identifier=x&q5=${'x'.repeat(LIMIT - 16)}`;
    expect(fits).toHaveLength(LIMIT);
    await campaign.postForm(fits).expect(422);
    const { text, headers } = await campaign.postForm(`${fits}x`, '?lang=en').expect(413);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('Your answers are too long');
  });

  it('that are no form are a 422 page', async () => {
    const { text } = await campaign.postForm('q5=%C3', '?lang=en').expect(422);
    expect(text).toContain('Your answers could not be read');
  });

  it.each([
    ['text/plain', 'q5=x'],
    ['multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
    ['application/json', '{"q5":"x"}'],
    ['application/json', '['.repeat(30_000)],
  ])('of type %s are a 422 page', async (type, body) => {
    await request(survey.service.url)
      .post(`${campaign.path}/responses`)
      .set('content-type', type)
      .serialize((text: string) => text)
      .send(body)
      .expect(422)
      .expect('content-type', /html/);
  });

  it('with thousands of fields are answered at once', async () => {
    const fields = Array.from({ length: 10_000 }, (_, n) => `q${n}=`).join('&');
    await campaign.postForm(fields.slice(0, 60_000)).expect(422);
    const unknown = Array.from({ length: 6_000 }, (_, n) => `q${n + 100}=x`).join('&');
    const { text } = await campaign.postForm(unknown.slice(0, 60_000)).expect(422);
    expect(text.length).toBeLessThan(60_000);
  });

  it('with a field many times are refused at its question', async () => {
    await campaign.postForm(`identifier=${identifier}&${'q1=9&'.repeat(5_000)}`).expect(422);
    await campaign.postForm(`identifier=${identifier}&q2=21&q2.21=x`).expect(422);
  });

  it('that come more slowly than stores may answer are stored', async () => {
    const deadlineMs = 1_000;
    const hurried = await startSurveyWithPages({ CXP_TEST_DEADLINE_MS: String(deadlineMs) });
    try {
      const linked = await LinkedCampaign.create(hurried);
      const id = await linked.newIdentifier();
      const post = sendForm(`${hurried.url}${linked.path}/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      const answered = once(post, 'response');
      post.write(`identifier=${id}&q5=typed`);
      await sleep(deadlineMs + 200);
      post.end('+on+a+train');
      expect(await answered).toMatchObject([{ statusCode: 200 }]);
      expect(await linked.responses()).toMatchObject([{ answers: { '5': 'typed on a train' } }]);
    } finally {
      await hurried.stop();
    }
  });

  it('that do not come keep nobody else waiting', async () => {
    const { port, hostname } = new URL(survey.service.url);
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
      socket.on('error', () => undefined);
      socket.write(
        `POST ${campaign.path}/responses HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\nq5=`,
      );
      return socket;
    });
    await campaign.open().expect(200);
    for (const socket of sockets) socket.destroy();
    await campaign.submitForm({ identifier }).expect(422);
  });
});

it('another site may not read an answer', async () => {
  const { headers } = await request(survey.service.url)
    .options(`${campaign.path}/responses`)
    .set('origin', 'https://evil.example.com')
    .set('access-control-request-method', 'POST')
    .set('access-control-request-headers', 'content-type');
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});
