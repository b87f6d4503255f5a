import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { withOrganizationLock } from '@cxp/records';
import { eventually } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import type { SurveyQuestion } from '../src/campaigns/survey-question';
import { newResponseId } from '../src/survey-pages/submission.service';
import { question } from './records';
import { ANSWERS, FORM, identifierIn, LinkedCampaign, PAGE_SETTINGS, QUESTIONS } from './survey-page';
import { useSurvey } from './survey-service';

const survey = useSurvey(PAGE_SETTINGS);
let campaign: LinkedCampaign;
let identifier: string;

beforeEach(async () => {
  campaign = await LinkedCampaign.create(survey.service);
  identifier = await campaign.newIdentifier();
});

/** The time in a UUIDv7. */
const openedAt = (id: string) =>
  new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString();
const thanks = 'Cảm ơn bạn!';
const NOW = new Date().toISOString();

describe('an answered form', () => {
  it('is a response with everything that was answered, in C2 and C3 at once', async () => {
    const { text } = await campaign.submitForm({ identifier, ...FORM }).expect(200);
    expect(text).toContain(thanks);
    const [response, ...others] = await campaign.responses();
    expect(others).toEqual([]);
    expect(response).toEqual({
      identifier: identifier,
      sent_timestamp: null,
      sending_failed_timestamp: null,
      opened_timestamp: openedAt(identifier),
      answered_timestamp: expect.any(String),
      user_name: null,
      user_phone: null,
      user_email: null,
      source: 'Anonymous Link',
      transaction_id: null,
      metadata_mappings: null,
      answers: ANSWERS,
    });
    expect(await campaign.exported()).toMatchObject([
      {
        'Response ID': identifier,
        'Distribution channel': 'Anonymous Link',
        'Question 1: How likely are you to recommend us?': '9',
        'Question 2: What did you like?': 'Price|Staff',
        'Question 3 - 32: How satisfied are you with - the packaging': 'Somewhat',
        'Question 4 - 42: Rank the channels you prefer - Phone': 1,
        'Question 5: Anything else?': 'Cảm ơn!\nRất tốt 😀',
      },
    ]);
  });

  it('carries the metadata of its link', async () => {
    const linked = await LinkedCampaign.create(survey.service, QUESTIONS, {
      name: 'Store 1',
      metadata_mapping: [
        { metadata_id: 1, value: 'Hà Nội 01' },
        { metadata_id: 2, value: ['new', 2.5, null] },
      ],
    });
    await linked.submitForm({ identifier: await linked.newIdentifier(), q5: 'x' }).expect(200);
    const mappings = { store: 'Hà Nội 01', labels: ['new', 2.5, null] };
    expect(await linked.responses()).toMatchObject([{ metadata_mappings: mappings }]);
    expect(await linked.exported()).toMatchObject([{ store: 'Hà Nội 01', labels: 'new|2.5|' }]);
  });

  it('does not carry what is erased from its link while it waits for its turn', async () => {
    const linked = await LinkedCampaign.create(survey.service, QUESTIONS, {
      name: 'Store 1',
      metadata_mapping: [{ metadata_id: 1, value: 'hoa@example.com' }],
    });
    const id = await linked.newIdentifier();
    let submitted: Promise<unknown> | undefined;
    await withOrganizationLock(
      survey.service.dataSource,
      'survey',
      linked.caller.organizationId,
      async (manager) => {
        submitted = linked.submitForm({ identifier: id, q5: 'x' }).expect(200).then();
        await eventually(async () => (await statementsThatWait(survey.service.dataSource)).length > 0);
        await manager.query(
          `UPDATE survey.link SET metadata_mapping = '[{"metadata_id":1,"value":null}]', mapping_key = 'another'
         WHERE organization_id = $1`,
          [linked.caller.organizationId],
        );
      },
    );
    await submitted;
    expect(await linked.responses()).toMatchObject([{ metadata_mappings: { store: null } }]);
  });

  it('is a legal record with 127 KiB of answers and metadata as they are stored, and a 413 page with more', async () => {
    const questions = Array.from({ length: 17 }, (_, id) => question(id, 'text'));
    const store = Array<string>(15).fill('x'.repeat(2_000));
    const linked = await LinkedCampaign.create(survey.service, questions, {
      name: 'Store 1',
      metadata_mapping: [{ metadata_id: 1, value: store }],
    });
    // JSON has twice the bytes of the form.
    const answersOf = (last: string) =>
      Object.fromEntries(questions.map(({ id }) => [id, id < 16 ? '\u0001'.repeat(1_000) : last]));
    const formOf = (last: string) =>
      Object.fromEntries(Object.entries(answersOf(last)).map(([id, text]) => [`q${id}`, text]));
    const spare = 127 * 1_024 - JSON.stringify(answersOf('')).length - JSON.stringify({ store }).length;
    const id = await linked.newIdentifier();
    const tooLarge = { identifier: id, ...formOf('x'.repeat(spare + 1)) };
    const { text } = await linked.submitForm(tooLarge, '?lang=en').expect(413);
    expect(text).toContain('Your answers are too long');
    expect(await linked.responses()).toEqual([]);
    await linked.submitForm({ identifier: id, ...formOf('x'.repeat(spare)) }).expect(200);
    const [stored] = await linked.responses();
    expect(stored).toMatchObject({ answers: answersOf('x'.repeat(spare)), metadata_mappings: { store } });
    await linked.importResponses({ survey_campaign_id: linked.campaignId, ...stored });
    // A repeat changes nothing, whatever it holds.
    await linked.submitForm(tooLarge).expect(200);
    expect(await linked.responses()).toEqual([stored]);
  });

  it('moves the latest interaction of its campaign', async () => {
    await campaign.submitForm({ identifier, q5: 'x' }).expect(200);
    const [response] = await campaign.responses();
    const { body } = await campaign.listCampaigns().expect(200);
    expect(body.items).toMatchObject([{ last_interacted_at: response!.answered_timestamp }]);
  });

  it('stores ids and titles that have line breaks as the campaign has them, however a form sends them', async () => {
    const [id, title] = ['l\r\nm', 'one\rtwo'];
    const titles = { [id]: 'crlf', '1': 'one' };
    const questions: SurveyQuestion[] = [
      { ...QUESTIONS[5]!, option_titles_by_id: titles },
      { ...QUESTIONS[1]!, option_titles_by_id: titles },
      { ...QUESTIONS[2]!, row_titles_by_id: titles, column_titles: [title, 'x'] },
      { ...QUESTIONS[3]!, option_titles_by_id: titles },
    ];
    const answers = { '6': id, '2': [id], '3': { [id]: title }, '4': { [id]: 2, '1': 1 } };
    for (const lineBreak of ['\r\n', '\n', '\r']) {
      const linked = await LinkedCampaign.create(survey.service, questions);
      const sent = `l${lineBreak}m`;
      const form = {
        q6: sent,
        q2: sent,
        [`q3.${sent}`]: `one${lineBreak}two`,
        [`q4.${sent}`]: '2',
        'q4.1': '1',
      };
      const refused = await linked.submitForm({ ...form, q99: 'x' }).expect(422);
      expect(refused.text.match(/ checked/g)).toHaveLength(3);
      expect(refused.text).toMatch(/name="q4\.l\r?\nm"[^>]* value="2"/);
      await linked.submitForm({ identifier: await linked.newIdentifier(), ...form }).expect(200);
      expect((await linked.responses())[0]!.answers).toEqual(answers);
    }
  });
});

describe('once', () => {
  it('nothing changes what is answered, and a repeat shows the thank-you page', async () => {
    await campaign.submitForm({ identifier, q5: 'first' }).expect(200);
    const before = await everything();
    expect((await campaign.submitForm({ identifier, q5: 'second' }).expect(200)).text).toContain(thanks);
    expect(await everything()).toEqual(before);
  });

  it.each<[what: string, form: Record<string, string>, questions: SurveyQuestion[]]>([
    [
      'with an option that was removed',
      { q6: '61' },
      [{ ...QUESTIONS[5]!, option_titles_by_id: { '62': 'x' } }],
    ],
    ['with a question that was removed', { q6: '61' }, QUESTIONS.filter(({ id }) => id !== 6)],
    ['without answers', {}, QUESTIONS],
  ])('a repeat %s shows the thank-you page, too', async (_, form, survey_questions) => {
    await campaign.submitForm({ identifier, q6: '61' }).expect(200);
    await campaign.change({ survey_questions });
    const before = await everything();
    expect((await campaign.submitForm({ identifier, ...form }).expect(200)).text).toContain(thanks);
    expect(await everything()).toEqual(before);
    const another = await campaign.newIdentifier();
    await campaign.submitForm({ identifier: another, ...form }).expect(422);
  });

  it('200 submits of one response id at once are one response, and each shows the thank-you page', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => campaign.submitForm({ identifier, q5: `answer ${n}` })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.every(({ text }) => text.includes(thanks))).toBe(true);
    const [response, ...others] = await campaign.responses();
    expect(others).toEqual([]);
    expect((response!.answers as Record<string, string>)['5']).toMatch(/^answer \d+$/);
    expect(await campaign.exported()).toHaveLength(1);
  });

  it('answers of many response ids at once, each sent several times, are each one response', async () => {
    const identifiers = await Promise.all(Array.from({ length: 10 }, () => campaign.newIdentifier()));
    await Promise.all(
      [1, 2, 3].flatMap((n) =>
        identifiers.map((one) => campaign.submitForm({ identifier: one, q5: `answer ${n}` }).expect(200)),
      ),
    );
    const responses = await campaign.responses();
    expect(responses.map((response) => response.identifier).sort()).toEqual(identifiers.sort());
    for (const { opened_timestamp, answered_timestamp } of responses)
      expect(String(opened_timestamp) <= String(answered_timestamp)).toBe(true);
  });
});

describe('a form that is refused', () => {
  it.each<[what: string, form: Record<string, string | string[]>, question: number, message: string]>([
    ['an unknown option', { q1: '11', q5: 'kept' }, 1, 'An option you chose is no longer available'],
    ['two options where one can be chosen', { q6: ['61', '62'], q5: 'kept' }, 6, 'This question has changed'],
    ['an unknown row', { 'q3.99': 'Very', q5: 'kept' }, 3, 'This question has changed'],
    ['tied ranks', { 'q4.41': '1', 'q4.42': '1', q5: 'kept' }, 4, 'Each rank can be used only once'],
    [
      'an impossible rank',
      { 'q4.41': '4', q5: 'kept' },
      4,
      'A rank is not valid. Please use numbers from 1 to 3, each once.',
    ],
    ['a text of 5,001 characters', { q5: `kept${'ế'.repeat(4_997)}` }, 5, 'Your answer is too long'],
    ['a text with a NUL', { q5: 'kept\0' }, 5, 'contains characters that cannot be used'],
  ])('for %s says so at its question, and keeps what was typed', async (_, form, question, message) => {
    const { text } = await campaign.submitForm({ identifier, ...form }, '?lang=en').expect(422);
    const summary = text.slice(text.indexOf('role="alert"'), text.indexOf('<form'));
    const block = text.slice(text.indexOf(`data-question="${question}"`), text.indexOf('class="send"'));
    expect(summary).toContain(`href="#q${question}-0"`);
    expect(summary).toContain(message);
    expect(block.slice(0, block.indexOf('class="body"'))).toContain(message);
    expect(text).toContain(`id="q${question}-0"`);
    expect(text).toContain(`<title>Error: `);
    expect(text).toContain('kept');
    expect(identifierIn(text)).toBe(identifier);
    expect(await campaign.responses()).toEqual([]);
  });

  it('shows everything that was chosen and typed again', async () => {
    const { text } = await campaign.submitForm({ identifier, ...FORM, q6: 'unknown' }).expect(422);
    for (const [name, values] of Object.entries(FORM)) {
      if (name === 'q5' || name === 'q6' || name.startsWith('q4')) continue;
      for (const value of [values].flat()) {
        expect(text).toMatch(new RegExp(`name="${name}" value="${value}" checked`));
      }
    }
    expect(text).toMatch(/name="q4\.41"[^>]* value="2"/);
    expect(text.replace(/\r\n/g, '\n')).toContain('\nCảm ơn!\nRất tốt 😀</textarea>');
  });

  it('for nothing answered says so', async () => {
    for (const form of [{}, { q5: ' \n ' }, { q1: '', 'q4.41': '' }] as Record<string, string>[]) {
      const { text } = await campaign.submitForm({ identifier, ...form }, '?lang=en').expect(422);
      expect(text).toContain('You have not answered any question yet');
    }
  });

  it('keeps what was typed for questions that have been removed, or have another type now', async () => {
    const [, , , , text5] = QUESTIONS;
    const choice = { ...QUESTIONS[5]!, id: 5 };
    await campaign.change({
      survey_questions: [choice, { ...text5!, id: 2 }, { ...text5!, id: 4 }, QUESTIONS[5]!],
    });
    const form = {
      identifier,
      q6: '62',
      q2: ['21', '23'],
      'q3.31': 'Very <much',
      'q4.41': '7',
      'q4.42': '8',
      q5: 'My long story',
    };
    const { text } = await campaign.submitForm(form, '?lang=en').expect(422);
    const quotes = [...text.matchAll(/You wrote: <q dir="auto">([^<]*)<\/q>/g)].map(([, quote]) => quote);
    expect(text).toContain('A question is no longer part of this survey');
    expect(text).toMatch(/name="q6" value="62" checked/);
    expect(quotes).toEqual(['Very &lt;much', 'My long story', '7\n8']);
    expect(text).toContain('\n21\n23</textarea>');
  });

  it('is judged by the questions as they are when it arrives', async () => {
    await campaign.change({
      survey_questions: [{ ...QUESTIONS[5]!, option_titles_by_id: { '63': 'On the street' } }],
    });
    await campaign.submitForm({ identifier, q6: '61' }).expect(422);
    await campaign.submitForm({ identifier, q6: '63' }).expect(200);
  });

  it('names a column by its title, however long that is and wherever it stands by then', async () => {
    const [first, second] = ['Rất hài lòng '.repeat(60), 'Rất hài lòng '.repeat(59)] as const;
    const matrix = { ...QUESTIONS[2]!, row_titles_by_id: { '31': 'x' } };
    await campaign.change({ survey_questions: [{ ...matrix, column_titles: [first, second] }] });
    const { text } = await campaign.open().expect(200);
    const values = [...text.matchAll(/name="q3.31" value="([^"]*)"/g)].map(([, value]) => value!);
    expect(values.map((value) => value.length < 100)).toEqual([true, true]);
    await campaign.change({ survey_questions: [{ ...matrix, column_titles: ['new', second, first] }] });
    await campaign.submitForm({ identifier, 'q3.31': values[0]! }).expect(200);
    expect(await campaign.responses()).toMatchObject([{ answers: { '3': { '31': first } } }]);

    await campaign.change({ survey_questions: [{ ...matrix, column_titles: ['new', first] }] });
    const another = { identifier: await campaign.newIdentifier(), 'q3.31': values[1]! };
    const refused = await campaign.submitForm(another, '?lang=en').expect(422);
    expect(refused.text).toContain('You wrote: <q dir="auto">Rất hài lòng');
  });

  it('is a 410 page once the campaign is not active any more, and a 404 page for an unknown link', async () => {
    await campaign.change({ status: 'inactive' });
    const { text } = await campaign.submitForm({ identifier, ...FORM }, '?lang=en').expect(410);
    expect(text).toContain('This survey is closed');
    expect(await campaign.responses()).toEqual([]);
    await request(survey.service.url)
      .post('/s/AAAAAAAAAAAAAAAAAAAAAA/responses')
      .type('form')
      .send({ q1: '9' })
      .expect(404)
      .expect('content-type', /html/);
  });
});

describe('the response id', () => {
  const DAY_MS = 86_400_000;

  it.each<[what: string, ageMs: number, isBelieved: boolean]>([
    ['almost seven days', 7 * DAY_MS - 60_000, true],
    ['more than seven days', 7 * DAY_MS + 1, false],
    ['no time, but will be tomorrow', -DAY_MS, false],
  ])('of a page that has been open for %s', async (_, ageMs, isBelieved) => {
    const id = newResponseId(Date.now() - ageMs);
    await campaign.submitForm({ identifier: id.toUpperCase(), q5: 'x' }).expect(200);
    const [response] = await campaign.responses();
    expect(response).toMatchObject({ identifier: id });
    expect(response!.opened_timestamp).toBe(isBelieved ? openedAt(id) : response!.answered_timestamp);
  });

  it.each<[what: string, sent: string[]]>([
    ['none', []],
    ['no UUID', ['x']],
    ['another kind of UUID', [randomUUID()]],
    ['two', [newResponseId(), newResponseId()]],
  ])('is a new one if the form has %s, and nothing that was typed is wrong', async (_, sent) => {
    await campaign.submitForm({ identifier: sent, q5: 'x' }).expect(200);
    const [response, ...others] = await campaign.responses();
    expect(others).toEqual([]);
    expect(response).toMatchObject({ answers: { '5': 'x' } });
    expect(String(response!.identifier)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(sent).not.toContain(response!.identifier);
    expect(openedAt(String(response!.identifier))).toBe(response!.opened_timestamp);
  });

  it('of another organization is one of this organization, too', async () => {
    const other = await LinkedCampaign.create(survey.service);
    await other.submitForm({ identifier, q5: 'theirs' }).expect(200);
    await campaign.submitForm({ identifier, q5: 'ours' }).expect(200);
    expect(await other.responses()).toMatchObject([{ identifier, answers: { '5': 'theirs' } }]);
    expect(await campaign.responses()).toMatchObject([{ identifier, answers: { '5': 'ours' } }]);
  });
});

it.each<[what: string, record: object, answers: object | null]>([
  ['answered', { answered_timestamp: NOW, answers: { '5': 'by the platform' } }, { '5': 'by the platform' }],
  ['not answered', { sent_timestamp: NOW, answers: null }, null],
])('a response that the platform has stored for this id, %s, is not changed', async (_, fields, answers) => {
  await campaign.importResponses(campaign.response({ identifier, sent_timestamp: null, ...fields }));
  await campaign.submitForm({ identifier, q5: 'by the page' }).expect(200);
  expect(await campaign.responses()).toMatchObject([{ answers }]);
});

it('submissions are counted by outcome', async () => {
  await campaign.submitForm({ identifier }).expect(422);
  await campaign.submitForm({ identifier, q5: 'x' }).expect(200);
  const { text } = await request(survey.service.url).get('/metrics').expect(200);
  for (const outcome of ['stored', 'invalid']) {
    expect(text).toMatch(
      new RegExp(`survey_page_submissions_total{outcome="${outcome}",service="survey-api"} \\d`),
    );
  }
});

it('a response that was removed and is sent again is in the changes once', async () => {
  await campaign.submitForm({ identifier, q5: 'x' }).expect(200);
  const removal = { type: 'survey_response', op: 'delete', data: { identifier } };
  await campaign.sendRecords(removal).expect(200, { accepted: 1 });
  expect(await changes()).toEqual([]);
  await campaign.submitForm({ identifier, q5: 'again' }).expect(200);
  expect(await changes()).toMatchObject([{ op: 'upsert', row: { answers: { '5': 'again' } } }]);
});

describe('while an intake of the organization goes on', () => {
  const duringIntake = (work: () => Promise<void>) =>
    withOrganizationLock(survey.service.dataSource, 'survey', campaign.caller.organizationId, work);

  it('a submit that waits too long is a 503 page, nothing is stored, and it succeeds afterwards', async () => {
    await duringIntake(async () => {
      const refused = campaign.submitForm({ identifier, q5: 'x' }, '?lang=en');
      await refused.expect(503, /please go back and send them again/).expect('retry-after', /[1-9]/);
    });
    expect(await campaign.responses()).toEqual([]);
    await campaign.submitForm({ identifier, q5: 'x' }).expect(200);
    expect(await campaign.responses()).toHaveLength(1);
  });

  it('submits of other organizations are stored at once, however many wait', async () => {
    const other = await LinkedCampaign.create(survey.service);
    const identifiers = await Promise.all(Array.from({ length: 10 }, () => other.newIdentifier()));
    await duringIntake(async () => {
      const held = Promise.all(
        Array.from({ length: 20 }, () => campaign.submitForm({ identifier, q5: 'held' }).expect(503)),
      );
      await Promise.all(
        identifiers.map((one) => other.submitForm({ identifier: one, q5: 'free' }).expect(200)),
      );
      await held;
    });
    expect(await other.responses()).toHaveLength(10);
  });
});

async function changes(): Promise<unknown[]> {
  return ((await campaign.changes().expect(200)).body as { items: unknown[] }).items;
}

/** All that readers see of a campaign's responses. */
async function everything(): Promise<unknown> {
  const { body } = await campaign.listCampaigns().expect(200);
  return [body, await campaign.responses(), await campaign.exported(), await changes()];
}
