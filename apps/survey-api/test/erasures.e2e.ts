import { randomUUID } from 'node:crypto';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import request from 'supertest';
import { surveyErasure } from '../src/erasure/survey-erasure';
import { campaignRecord, responseRecord } from './records';
import { ANSWERS, FORM, identifierIn, LinkedCampaign, QUESTIONS, startSurveyWithPages } from './survey-page';
import { createLink, everythingOf, importRecords, listResponses } from './survey-service';

const ERASURES = '/external/erasures';
const EMAIL = 'Hoa.Marker@Example.com';
const PHONE = '+84 (90) 123-4567';
const MARKER = 'marker-7391';

let service: TestService;
let caller: Caller;
let campaign: string;

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

const response = (parts: object = {}) => responseRecord({ survey_campaign_id: campaign, ...parts });
const store = (...records: object[]) =>
  importRecords(service, caller, ...records.map((record) => ['survey_response', record] as const));
const erase = (body: object, as = caller) => request(service.url).post(ERASURES).set(as.headers).send(body);
const subject = { phones: ['84901234567', '+84901234567'], emails: ['hoa.marker@example.COM '] };

async function erased(mode: 'delete' | 'anonymize', who: object = subject) {
  const request = { id: randomUUID(), subject: who, mode };
  let body: Record<string, unknown> = {};
  // A large erasure goes on after the answer.
  await eventually(async () => {
    ({ body } = await erase(request).expect(200));
    return body.erasedAt !== null;
  });
  return body as { id: string; found: Record<string, number>; lastChange: number; keys: object };
}

async function listed(): Promise<Record<string, unknown>[]> {
  const window = { survey_campaign_id: campaign, start_date: '2020-01-01', end_date: '2035-01-01' };
  const { body } = await listResponses(service, caller, window).expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

async function changes(): Promise<Record<string, unknown>[]> {
  const { body } = await request(service.url).get('/external/survey-response-changes').set(caller.headers);
  return body.items;
}

const storedLinks = () =>
  service.dataSource.query<object[]>(
    'SELECT name, metadata_mapping FROM survey.link WHERE organization_id = $1 ORDER BY id',
    [caller.organizationId],
  );

const everything = () => everythingOf(service, caller);

const known = () => ({
  byPhone: response({ user_phone: '(+84) 90.1234567', user_name: MARKER }),
  byEmail: response({ user_email: EMAIL, transaction_id: MARKER, tags: [MARKER] }),
  byMetadata: response({ metadata_mappings: { labels: ['x', { deep: EMAIL }] }, answers: { '5': MARKER } }),
  stranger: response({ user_phone: '+84 90 765 4321', user_email: 'other@example.com', tags: ['kept'] }),
});

describe('erasing in area C', () => {
  it('deletes the responses that an identifier leads to, reports them to followers with the reason, and no others', async () => {
    const { stranger, ...own } = known();
    await store(...Object.values(own), stranger);
    const { found, lastChange } = await erased('delete');
    expect(found).toEqual({ responses: 3, links: 0 });
    expect(await listed()).toMatchObject([{ identifier: stranger.identifier }]);
    const items = await changes();
    const upserts = items.filter(({ op }) => op === 'upsert');
    expect(upserts).toMatchObject([{ key: { identifier: stranger.identifier } }]);
    expect(lastChange).toBe(7);
  });

  it('reports to a follower that has the responses which ones were erased', async () => {
    const { byPhone } = known();
    await store(byPhone);
    const first = await request(service.url).get('/external/survey-response-changes').set(caller.headers);
    await erased('delete');
    const { body } = await request(service.url)
      .get(`/external/survey-response-changes?cursor=${first.body.next_cursor}`)
      .set(caller.headers);
    expect(body.items).toEqual([
      { op: 'delete', change: 2, key: { identifier: byPhone.identifier }, reason: 'erased' },
    ]);
  });

  it('anonymizes them: choices, scores and times stay', async () => {
    const answers = {
      ...ANSWERS,
      '2': ['21', `other: ${MARKER}`],
      '3': { '31': 'Very', '32': MARKER, '99': 'Very' },
      '6': MARKER,
      '77': MARKER,
    };
    const record = response({
      user_name: MARKER,
      user_phone: PHONE,
      user_email: EMAIL,
      source: 'Zalo',
      transaction_id: MARKER,
      tags: [MARKER],
      metadata_mappings: { email: EMAIL },
      answers,
    });
    await store(record);
    expect((await erased('anonymize')).found).toEqual({ responses: 1, links: 0 });
    const expected = {
      identifier: record.identifier,
      sent_timestamp: record.sent_timestamp,
      sending_failed_timestamp: null,
      opened_timestamp: null,
      answered_timestamp: null,
      user_name: null,
      user_phone: null,
      user_email: null,
      source: 'Zalo',
      transaction_id: null,
      metadata_mappings: null,
      answers: {
        '1': '9',
        '2': ['21'],
        '3': { '31': 'Very' },
        '4': ANSWERS['4'],
        '7': '4',
        '8': '7',
      },
    };
    expect(await listed()).toEqual([expected]);
    expect(await changes()).toMatchObject([{ op: 'upsert', change: 2, row: expected }]);
    // The record comes again, complete.
    await store({ ...record, user_name: `${MARKER} again` });
    expect(await listed()).toEqual([expected]);
    expect(await everything()).not.toContain(MARKER);
  });

  it('anonymizes the responses of many large campaigns, those of a few in each step', async () => {
    const long = { ...QUESTIONS[4]!, title: 'x'.repeat(20_000) };
    const survey_questions = [
      ...QUESTIONS,
      ...Array.from({ length: 5 }, (_, n) => ({ ...long, id: n + 10 })),
    ];
    const campaigns = Array.from({ length: 20 }, () => campaignRecord({ survey_questions }));
    await importRecords(service, caller, ...campaigns.map((data) => ['survey_campaign', data] as const));
    const parts = { user_phone: PHONE, answers: { '5': MARKER, '10': MARKER, '6': '61' } };
    await store(...campaigns.map(({ id }) => response({ survey_campaign_id: id, ...parts })));
    expect((await erased('anonymize')).found).toEqual({ responses: 20, links: 0 });
    expect(await everything()).not.toMatch(/marker/i);
    const kept = { row: { answers: { '6': '61' } } };
    expect(await changes()).toMatchObject(campaigns.map(() => kept));
  });

  it('does not let a deleted response come back, by a record or by an open page', async () => {
    const page = await LinkedCampaign.create(service, QUESTIONS, {
      name: `Link of ${EMAIL}`,
      metadata_mapping: [{ metadata_id: 1, value: EMAIL }],
    });
    caller = page.caller;
    campaign = page.campaignId;
    const identifier = identifierIn((await page.open().expect(200)).text);
    await page.submitForm({ ...FORM, q5: MARKER, identifier }).expect(200);
    const own = Object.values(known()).slice(0, 3);
    await store(...own);
    expect((await erased('delete')).found).toEqual({ responses: 4, links: 1 });
    await store(...own, { ...own[0], user_phone: null, survey_campaign_id: randomUUID() });
    await page.submitForm({ ...FORM, q5: MARKER, identifier }).expect(200);
    expect(await listed()).toEqual([]);
    const stored = await everything();
    for (const marker of [MARKER, 'arker@', 'ARKER@', '1234567', '123-4567']) {
      expect(stored.toLowerCase()).not.toContain(marker.toLowerCase());
    }
    // A new response of the person is new data, and the link keeps working.
    await store(response({ user_email: EMAIL }));
    await page.submitForm({ ...FORM, identifier: await page.newIdentifier() }).expect(200);
    expect(await listed()).toHaveLength(2);
  });

  it('takes identifiers and names from links, in both modes', async () => {
    const link = (value: unknown, name: string) =>
      createLink(service, caller, campaign, {
        name,
        metadata_mapping: [
          { metadata_id: 1, value },
          { metadata_id: 2, value: ['kept', 5] },
        ],
      }).expect(200);
    const { body: ofCustomer } = await link(EMAIL, 'Customer');
    const { body: ofList } = await link(['x', PHONE], 'List');
    const { body: other } = await link(`x${EMAIL}`, 'Other');
    expect((await erased('delete', { emails: [EMAIL] })).found).toEqual({ responses: 0, links: 1 });
    expect((await erased('anonymize')).found).toEqual({ responses: 0, links: 1 });
    const rows = await service.dataSource.query<object[]>(
      'SELECT public_id, name, metadata_mapping FROM survey.link WHERE organization_id = $1 ORDER BY id',
      [caller.organizationId],
    );
    const labels = { metadata_id: 2, value: ['kept', 5] };
    expect(rows).toEqual([
      {
        public_id: ofCustomer.public_id,
        name: '',
        metadata_mapping: [{ metadata_id: 1, value: null }, labels],
      },
      {
        public_id: ofList.public_id,
        name: '',
        metadata_mapping: [{ metadata_id: 1, value: ['x', null] }, labels],
      },
      expect.objectContaining({ public_id: other.public_id, name: 'Other' }),
    ]);
    await request(service.url).get(`/s/${ofCustomer.public_id}`).expect(200);
    const { body: again } = await link(EMAIL, 'New');
    expect(again.id).not.toBe(ofCustomer.id);
  });

  it.each(['delete', 'anonymize'] as const)(
    'finds identifiers that are numbers in metadata: %s',
    async (mode) => {
      const phone = 84_901_234_567;
      const link = (name: string, value: unknown) =>
        createLink(service, caller, campaign, { name, metadata_mapping: [{ metadata_id: 1, value }] }).expect(
          200,
        );
      await link('Person', phone);
      await link('List', [5, phone, 'x']);
      await link('Stranger', 849_012_345_670);
      await store(
        response({ metadata_mappings: { customer: { phones: [phone] } } }),
        response({ metadata_mappings: { customer: 5 } }),
      );
      expect((await erased(mode)).found).toEqual({ responses: 1, links: 2 });
      const left = (await listed()).map(({ metadata_mappings }) => metadata_mappings);
      expect(left).toHaveLength(mode === 'delete' ? 1 : 2);
      expect(JSON.stringify(left)).not.toContain(String(phone));
      expect(await storedLinks()).toEqual([
        { name: '', metadata_mapping: [{ metadata_id: 1, value: null }] },
        { name: '', metadata_mapping: [{ metadata_id: 1, value: [5, null, 'x'] }] },
        { name: 'Stranger', metadata_mapping: [{ metadata_id: 1, value: 849_012_345_670 }] },
      ]);
    },
  );

  it.each(['delete', 'anonymize'] as const)(
    'knows no user ids: they match nothing in responses and links: %s',
    async (mode) => {
      const metadata_mapping = [{ metadata_id: 1, value: '7' }];
      const ofStore = [{ store: '7' }, { customer: { id: '7' } }].map((metadata_mappings) =>
        response({ metadata_mappings, user_name: '7', transaction_id: '7' }),
      );
      await store(...ofStore);
      await createLink(service, caller, campaign, { name: 'Store 7', metadata_mapping }).expect(200);
      const own = [...metadata_mapping, { metadata_id: 2, value: EMAIL }];
      await createLink(service, caller, campaign, { name: 'Person', metadata_mapping: own }).expect(200);
      const before = await listed();

      const none = { responses: 0, links: 0 };
      const { body } = await erase({ subject: { userIds: ['7'] }, mode, dryRun: true }).expect(200);
      expect(body.found).toEqual(none);
      const certificate = await erased(mode, { userIds: ['7'] });
      expect(certificate.found).toEqual(none);
      expect((await erased(mode, { userIds: ['7'], emails: [EMAIL] })).found).toEqual({ ...none, links: 1 });
      await request(service.url).post(`${ERASURES}/again`).set(caller.headers).send(certificate).expect(200);

      expect(await listed()).toEqual(before);
      expect(await storedLinks()).toEqual([
        { name: 'Store 7', metadata_mapping },
        { name: '', metadata_mapping: [...metadata_mapping, { metadata_id: 2, value: null }] },
      ]);
    },
  );

  it('says in a dry run what it would find, and changes nothing', async () => {
    const own = Object.values(known());
    await store(...own);
    const { body } = await erase({ subject, mode: 'delete', dryRun: true }).expect(200);
    expect(body).toMatchObject({ id: null, area: 'survey', erasedAt: null, keys: {} });
    expect(body.found).toEqual({ responses: 3, links: 0 });
    expect(await listed()).toHaveLength(4);
  });

  it('erases more than a step does, and answers its certificate again', async () => {
    const many = Array.from({ length: 1_100 }, () => response({ user_email: EMAIL }));
    await store(...many, response());
    const certificate = await erased('delete');
    expect(certificate.found).toEqual({ responses: 1_100, links: 0 });
    const { body } = await request(service.url)
      .get(`${ERASURES}/${certificate.id}`)
      .set(caller.headers)
      .expect(200);
    expect(body).toEqual(certificate);
    expect(JSON.stringify(body)).not.toMatch(/marker/i);
    expect(await listed()).toHaveLength(1);
  });

  it.each(['delete', 'anonymize'] as const)(
    'applies a certificate again to a database that was restored: %s',
    async (mode) => {
      const own = Object.values(known()).slice(0, 3);
      await store(...own);
      const { body: link } = await createLink(service, caller, campaign, {
        name: MARKER,
        metadata_mapping: [{ metadata_id: 1, value: EMAIL }],
      }).expect(200);
      const backup = await service.dataSource.query<object[]>(
        `SELECT link.*, encode(mapping_key, 'hex') AS key FROM survey.link WHERE organization_id = $1`,
        [caller.organizationId],
      );
      const certificate = await erased(mode);
      expect(certificate.keys).toEqual({
        survey_link: [`${link.id}/1`],
        survey_response: own.map(({ identifier }) => identifier).sort(),
      });
      // As a backup would bring it back.
      for (const table of ['response', 'bucket', 'erased_key', 'erasure', 'change_removal']) {
        await service.dataSource.query(`DELETE FROM survey.${table} WHERE organization_id = $1`, [
          caller.organizationId,
        ]);
      }
      await store(
        ...own.map((record) => ({ ...record, user_phone: null, user_email: null, user_name: MARKER })),
      );
      await service.dataSource.query(
        'UPDATE survey.link SET name = $2, metadata_mapping = $3 WHERE organization_id = $1',
        [
          caller.organizationId,
          MARKER,
          JSON.stringify((backup[0] as { metadata_mapping: object }).metadata_mapping),
        ],
      );
      const { body } = await request(service.url)
        .post(`${ERASURES}/again`)
        .set(caller.headers)
        .send(certificate)
        .expect(200);
      expect(body).toMatchObject({ id: certificate.id, erasedAt: expect.any(String) });
      expect(await listed()).toHaveLength(mode === 'delete' ? 0 : 3);
      expect(await everything()).not.toMatch(/marker/i);
      await request(service.url).get(`/s/${link.public_id}`).expect(200);
    },
  );

  it.each(['delete', 'anonymize'] as const)(
    'leaves a new link alone that has the id of an erased one: %s',
    async (mode) => {
      const metadata_mapping = [{ metadata_id: 1, value: EMAIL }];
      const link = (name: string) =>
        createLink(service, caller, campaign, { name, metadata_mapping }).expect(200);
      await link('Old');
      const certificate = await erased(mode);
      const { body: renewed } = await link('New');
      // A restore sets the numbers of links back.
      const keys = { survey_link: [`${renewed.id}/1`] };
      const { body } = await request(service.url)
        .post(`${ERASURES}/again`)
        .set(caller.headers)
        .send({ ...certificate, keys })
        .expect(200);
      expect(body).toMatchObject({ erasedAt: expect.any(String), found: { links: 1 } });
      expect((await storedLinks()).at(-1)).toEqual({ name: 'New', metadata_mapping });
    },
  );

  it('finds no link that is newer than the request', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: EMAIL }];
    const { body: link } = await createLink(service, caller, campaign, { name: 'New', metadata_mapping });
    const linksSince = (requestedAt?: Date) =>
      surveyErasure(service.dataSource).find(
        service.dataSource.manager,
        caller.organizationId,
        { userIds: [], phones: [], emails: [EMAIL.toLowerCase()] },
        10,
        requestedAt,
      );
    const found = [{ type: 'survey_link', id: `${link.id}/1` }];
    expect(await linksSince()).toEqual(found);
    expect(await linksSince(new Date(link.created))).toEqual(found);
    expect(await linksSince(new Date(Date.parse(link.created) - 10))).toEqual([]);
  });

  it('reaches no other organization', async () => {
    const own = Object.values(known());
    await store(...own);
    const other = await service.caller();
    const id = randomUUID();
    const { body } = await erase({ id, subject, mode: 'delete' }, other).expect(200);
    expect(body.found).toEqual({ responses: 0, links: 0 });
    expect(await listed()).toHaveLength(4);
    await request(service.url).get(`${ERASURES}/${id}`).set(caller.headers).expect(404);
  });
});
