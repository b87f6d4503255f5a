import { randomUUID } from 'node:crypto';
import { eventually } from '@cxp/service-kit/testing';
import request from 'supertest';
import type { ErasureStep } from '@cxp/erasure';
import { surveyEraser } from '../src/erasure/survey-eraser';
import { eraseLinks } from '../src/links/erased-links';
import { FORM, identifierIn, LinkedCampaign, PAGE_SETTINGS, QUESTIONS } from './survey-page';
import { everythingOf, useSurvey } from './survey-service';

const ERASURES = '/external/erasures';
const EMAIL = 'Hoa.Marker@Example.com';
const PHONE = '+84 (90) 123-4567';
const MARKER = 'marker-7391';

const survey = useSurvey(PAGE_SETTINGS);

beforeEach(async () => {
  await survey.importCampaign({ survey_questions: QUESTIONS });
  const variables = ['email', 'labels', 'cashier', 'store', 'staff'];
  await survey.import(...variables.map((variable, n) => field(n + 1, variable)));
});

const field = (id: number, variable: string): [string, object] => [
  'metadata_field',
  { id, name: variable, variable },
];
const response = survey.response.bind(survey);
const store = survey.importResponses.bind(survey);
const erase = (body: object, as = survey) => as.post(ERASURES, body);
const countOf = async (who: object) => (await erase({ subject: who, dryRun: true }).expect(200)).body.found;
const subject = { phones: ['84901234567', '+84901234567'], emails: ['hoa.marker@example.COM '] };

async function erased(who: object = subject, id: string = randomUUID()) {
  const request = { id, subject: who };
  let body: Record<string, unknown> = {};
  // A large erasure goes on after the answer.
  await eventually(async () => {
    ({ body } = await erase(request).expect(200));
    return body.erasedAt !== null;
  });
  return body as { id: string; found: Record<string, number>; lastChange: number };
}

async function listed(): Promise<Record<string, unknown>[]> {
  const { body } = await survey
    .listResponses({ start_date: '2020-01-01', end_date: '2035-01-01' })
    .expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

const storedLinks = () =>
  survey.service.dataSource.query<object[]>(
    'SELECT name, metadata_mapping FROM survey.link WHERE organization_id = $1 ORDER BY id',
    [survey.caller.organizationId],
  );

const everything = () => everythingOf(survey);

/** Of another organization, for which the test goes on. */
async function linkOf(value: string): Promise<LinkedCampaign> {
  const link = { name: `Link of ${value}`, metadata_mapping: [{ metadata_id: 1, value }] };
  const page = await LinkedCampaign.create(survey.service, QUESTIONS, link);
  Object.assign(survey, { caller: page.caller, campaignId: page.campaignId });
  return page;
}

const known = () => ({
  byPhone: response({ user_phone: '(+84) 90.1234567', user_name: MARKER }),
  byEmail: response({ user_email: EMAIL, transaction_id: MARKER, tags: [MARKER] }),
  byMetadata: response({ metadata_mappings: { labels: ['x', { deep: EMAIL }] }, answers: { '5': MARKER } }),
  stranger: response({ user_phone: '+84 90 765 4321', user_email: 'other@example.com', tags: ['kept'] }),
});

async function changes(cursor = '') {
  const { body } = await survey.changes({ cursor });
  return body as { items: Record<string, unknown>[]; next_cursor: string };
}

describe('erasing in area C', () => {
  it('deletes the responses that an identifier leads to, reports them to followers with the reason, and no others', async () => {
    const { stranger, ...own } = known();
    await store(...Object.values(own), stranger);
    const { next_cursor } = await changes();
    const { found, lastChange } = await erased();
    expect(found).toEqual({ responses: 3, links: 0, metadataValues: 0 });
    expect(await listed()).toMatchObject([{ identifier: stranger.identifier }]);
    const { items } = await changes(next_cursor);
    expect(items).toHaveLength(3);
    for (const { identifier } of Object.values(own)) {
      expect(items).toContainEqual({
        op: 'delete',
        change: expect.any(Number),
        key: { identifier },
        reason: 'erased',
      });
    }
    expect(lastChange).toBe(7);
  });

  it('leaves the responses of others, of whose metadata only the fields become null that hold an identifier', async () => {
    const cashier = { user_phone: PHONE, metadata_mappings: { store: 'Hà Nội 01' } };
    const others = [
      {
        user_phone: '+84 90 765 4321',
        metadata_mappings: { cashier: '+84.90.123.4567', store: 'Hà Nội 01' },
      },
      {
        user_email: 'other@example.com',
        metadata_mappings: { staff: { list: [1, { [EMAIL]: 'x' }] }, note: `of ${EMAIL}` },
      },
      { user_phone: '1', user_email: '\u200b', metadata_mappings: { cashier: 84_901_234_567, rate: 1.5 } },
    ];
    const without = [
      { user_phone: '---', user_email: null, metadata_mappings: { cashier: [PHONE] } },
      { user_phone: null, user_email: ' ', metadata_mappings: { [EMAIL]: 1 } },
    ];
    const records = [cashier, ...others, ...without].map(response);
    await store(...records);
    const counted = await countOf(subject);
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 3, links: 0, metadataValues: 3 });
    expect(counted).toEqual(certificate.found);
    const [, byPhone, byEmail, byNumber] = records.map(({ identifier }) => identifier);
    const emptied = [
      { identifier: byPhone, metadata_mappings: { cashier: null, store: 'Hà Nội 01' } },
      { identifier: byEmail, metadata_mappings: { staff: null, note: `of ${EMAIL}` } },
      { identifier: byNumber, metadata_mappings: { cashier: null, rate: 1.5 } },
    ];
    const byIdentifier = (one: Record<string, unknown>, other: Record<string, unknown>) =>
      String(one.identifier) < String(other.identifier) ? -1 : 1;
    expect((await listed()).sort(byIdentifier)).toMatchObject(emptied.sort(byIdentifier));
    const changed = (await changes()).items.filter(({ op }) => op === 'upsert');
    expect(Math.max(...changed.map(({ change }) => Number(change)))).toBeLessThanOrEqual(
      certificate.lastChange,
    );

    // They come again, also after they were removed.
    const again = records.map((record) => ({ ...record, user_name: 'again' }));
    await store(...again);
    const removals = records.map(({ identifier }) => ({
      type: 'survey_response',
      op: 'delete',
      data: { identifier },
    }));
    await survey.sendRecords(...removals).expect(200);
    await store(...again);
    expect((await listed()).sort(byIdentifier)).toMatchObject(
      emptied.map((each) => ({ ...each, user_name: 'again' })),
    );
  });

  it('drops a member of metadata whose name is an identifier; later, members that are no fields are null, and what may be an identifier is gone', async () => {
    const metadata_mappings = { [EMAIL]: 'x', note: 'kept', store: 'Hà Nội 01' };
    const record = response({ user_phone: '1', metadata_mappings });
    await store(record);
    expect((await erased()).found).toEqual({ responses: 0, links: 0, metadataValues: 1 });
    expect(await listed()).toMatchObject([{ metadata_mappings: { note: 'kept', store: 'Hà Nội 01' } }]);
    await store({ ...record, user_name: 'again' });
    const [again] = await listed();
    expect(again).toMatchObject({ user_name: 'again' });
    expect(again!.metadata_mappings).toEqual({ note: null, store: 'Hà Nội 01' });
    expect(await everything()).not.toMatch(/marker/i);
  });

  it("keeps nobody's identifier in the key of another person's erasure", async () => {
    const record = response({ user_phone: '1', metadata_mappings: { 'q.marker@example.com': PHONE } });
    await store(record);
    await erased({ phones: [PHONE] });
    expect(await listed()).toMatchObject([{ metadata_mappings: { 'q.marker@example.com': null } }]);
    await erased({ emails: ['q.marker@example.com'] });
    expect(await listed()).toMatchObject([{ metadata_mappings: {} }]);
    await store(record);
    expect(await everything()).not.toMatch(/marker|1234567/i);
  });

  it('does not let a value come back when its name becomes that of a field', async () => {
    const names = ['referred_by', 'brought_by'];
    const records = names.map((name) => response({ user_phone: '1', metadata_mappings: { [name]: PHONE } }));
    await store(...records);
    await erased();
    // A new one, and a known one.
    await survey.import(...names.map((name, n) => field(6 - n, name)));
    await store(...records);
    expect(await everything()).not.toContain('123-4567');
    // Fields copy no keys: an organization may have thousands of each.
    expect((await everything()).match(/survey\.erased_key /g)).toHaveLength(records.length);
  });

  it('does not let a value come back by a field that was renamed, before or after', async () => {
    const rename = (variable: string) =>
      survey.import(['metadata_field', { id: 3, name: 'Cashier', variable }]);
    const held = (variable: string) =>
      response({ user_phone: '1', metadata_mappings: { [variable]: PHONE }, user_name: variable });
    const [one, two] = [held('cashier'), held('served_by')] as const;
    await store(one);
    await rename('served_by');
    await store(two);
    await erased();
    await rename('clerk');
    for (const [name, record] of [one, two, one, two].entries()) {
      const variable = ['cashier', 'served_by', 'clerk', 'clerk'][name]!;
      await store({ ...record, metadata_mappings: { [variable]: PHONE, store: 'x' }, tags: [`${name}`] });
      const stored = (await listed()).find(({ identifier }) => identifier === record.identifier);
      expect(stored!.metadata_mappings).toEqual({ [variable]: null, store: 'x' });
    }
    await rename('cashier');
    await store({ ...two, metadata_mappings: { cashier: PHONE } });
    expect(await everything()).not.toContain('1234567');
  });

  it('does not let a deleted response come back, by a record or by an open page', async () => {
    const page = await linkOf(EMAIL);
    const identifier = identifierIn((await page.open().expect(200)).text);
    await page.submitForm({ ...FORM, q5: MARKER, identifier }).expect(200);
    const own = Object.values(known()).slice(0, 3);
    await store(...own);
    expect((await erased()).found).toEqual({ responses: 4, links: 1, metadataValues: 1 });
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

  it('empties each field of links that holds an identifier, and their names', async () => {
    const labels = { metadata_id: 2, value: ['kept', 5] };
    const link = (value: unknown, name: string) =>
      survey.createLink({ name, metadata_mapping: [{ metadata_id: 1, value }, labels] }).expect(200);
    const { body: ofCustomer } = await link(EMAIL, 'Customer');
    await link(['x', PHONE, 'other@example.com'], 'List');
    await link(84_901_234_567, 'Number');
    const { body: other } = await link(`x${EMAIL}`, 'Other');
    await link(849_012_345_670, 'Stranger');
    const counted = await countOf(subject);
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 0, links: 3, metadataValues: 3 });
    expect(counted).toEqual(certificate.found);
    const emptied = { name: '', metadata_mapping: [{ metadata_id: 1, value: null }, labels] };
    expect(await storedLinks()).toEqual([
      emptied,
      emptied,
      emptied,
      { name: 'Other', metadata_mapping: [{ metadata_id: 1, value: `x${EMAIL}` }, labels] },
      { name: 'Stranger', metadata_mapping: [{ metadata_id: 1, value: 849_012_345_670 }, labels] },
    ]);
    await request(survey.service.url).get(`/s/${ofCustomer.public_id}`).expect(200);
    expect((await link(`x${EMAIL}`, 'Again')).body.id).toBe(other.id);
    const { body: again } = await link(EMAIL, 'New');
    expect(again.id).not.toBe(ofCustomer.id);
  });

  it('looks into links of many texts, which have no keys of their own', async () => {
    const labels = (first: string) => [
      first,
      ...Array.from({ length: 1_399 }, (_, n) => `${n}-`.padEnd(38, 'x')),
    ];
    const made = async (texts: string[]) => {
      // A list has at most 32 KiB.
      const metadata_mapping = [1, 2].map((metadata_id) => ({
        metadata_id,
        value: texts.slice((metadata_id - 1) * 700, metadata_id * 700),
      }));
      await survey.createLink({ name: MARKER, metadata_mapping }).expect(200);
    };
    for (let n = 0; n < 25; n++) await made(labels(`stranger ${n}`));
    await made(labels(PHONE));
    const [keys] = await survey.service.dataSource.query<[{ most: number }]>(
      'SELECT max(cardinality(person_keys)) AS most FROM survey.link WHERE organization_id = $1',
      [survey.caller.organizationId],
    );
    expect(keys.most).toBe(1);
    expect(await countOf(subject)).toEqual({ responses: 0, links: 1, metadataValues: 1 });
    expect((await erased()).found).toEqual({ responses: 0, links: 1, metadataValues: 1 });
    const names = (await storedLinks()).map((link) => (link as { name: string }).name);
    expect(names).toEqual([...Array<string>(25).fill(MARKER), '']);
  });

  it('looks into responses of many texts, which have no keys of their own', async () => {
    const labels = (last: string) => [...Array.from({ length: 1_400 }, (_, n) => `${n}-x`), last];
    const others = ['stranger', PHONE].map((last) =>
      response({ user_phone: '1', user_name: MARKER, metadata_mappings: { labels: labels(last) } }),
    );
    await store(...others, response({ metadata_mappings: { labels: labels(PHONE) } }));
    const [keys] = await survey.service.dataSource.query<[{ most: number }]>(
      'SELECT max(cardinality(person_keys)) AS most FROM survey.response WHERE organization_id = $1',
      [survey.caller.organizationId],
    );
    // That of the phone, and one for all texts.
    expect(keys.most).toBe(2);
    expect(await countOf(subject)).toEqual({ responses: 1, links: 0, metadataValues: 1 });
    expect((await erased()).found).toEqual({ responses: 1, links: 0, metadataValues: 1 });
  });

  it('knows no user ids: they match nothing in responses and links', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: '7' }];
    const ofStore = [{ store: '7' }, { customer: { id: '7' } }].map((metadata_mappings) =>
      response({ metadata_mappings, user_name: '7', transaction_id: '7' }),
    );
    await store(...ofStore);
    await survey.createLink({ name: 'Store 7', metadata_mapping }).expect(200);
    const own = [...metadata_mapping, { metadata_id: 2, value: EMAIL }];
    await survey.createLink({ name: 'Person', metadata_mapping: own }).expect(200);
    const before = await listed();

    const none = { responses: 0, links: 0, metadataValues: 0 };
    expect(await countOf({ userIds: ['7'] })).toEqual(none);
    expect((await erased({ userIds: ['7'] })).found).toEqual(none);
    expect((await erased({ userIds: ['7'], emails: [EMAIL] })).found).toEqual({
      ...none,
      links: 1,
      metadataValues: 1,
    });
    expect(await listed()).toEqual(before);
    expect(await storedLinks()).toEqual([
      { name: 'Store 7', metadata_mapping },
      { name: '', metadata_mapping: [...metadata_mapping, { metadata_id: 2, value: null }] },
    ]);
  });
});

describe('an erasure in area C', () => {
  it('erases once more what a restored backup has brought back, by the same request', async () => {
    const own = Object.values(known()).slice(0, 3);
    const other = response({ user_phone: '1', metadata_mappings: { cashier: EMAIL, store: 'x' } });
    await store(...own, other);
    const metadata_mapping = [{ metadata_id: 1, value: [EMAIL, 'other@example.com'] }];
    const { body: link } = await survey.createLink({ name: MARKER, metadata_mapping }).expect(200);
    const { id, found } = await erased();
    // As a backup would bring it back.
    for (const table of ['response', 'bucket', 'erased_key', 'erasure', 'change_removal']) {
      await survey.service.dataSource.query(`DELETE FROM survey.${table} WHERE organization_id = $1`, [
        survey.caller.organizationId,
      ]);
    }
    await store(...own, other);
    await survey.service.dataSource.query(
      'UPDATE survey.link SET name = $2, metadata_mapping = $3, person_keys = $4 WHERE organization_id = $1',
      [survey.caller.organizationId, MARKER, JSON.stringify(metadata_mapping), [`e${EMAIL.toLowerCase()}`]],
    );
    expect(await erased(subject, id)).toMatchObject({ id, found });
    expect(await listed()).toMatchObject([{ metadata_mappings: { cashier: null, store: 'x' } }]);
    expect(await storedLinks()).toEqual([{ name: '', metadata_mapping: [{ metadata_id: 1, value: null }] }]);
    expect(await everything()).not.toMatch(/marker/i);
    await request(survey.service.url).get(`/s/${link.public_id}`).expect(200);
  });

  it('counts each link once, however many of its fields hold an identifier', async () => {
    const ids = Array.from({ length: 200 }, (_, n) => n + 1);
    await survey.import(
      ...ids.map((id) => ['metadata_field', { id, name: `${id}`, variable: `v${id}` }] as const),
    );
    for (const name of ['1', '2', '3', '4']) {
      const metadata_mapping = ids.map((metadata_id) => ({ metadata_id, value: [PHONE, name] }));
      await survey.createLink({ name, metadata_mapping }).expect(200);
    }
    const found = { responses: 0, links: 4, metadataValues: 800 };
    expect(await countOf(subject)).toEqual(found);
    expect((await erased()).found).toEqual(found);
  });

  it('erases more than a step takes, of responses and of links, and a dry run counts the same', async () => {
    const { organizationId } = survey.caller;
    await survey.service.dataSource.query(
      `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping, person_keys)
       SELECT $1, gen_random_uuid()::text, $2, uuid_send(gen_random_uuid()), 'x', $3, $4 FROM generate_series(1, 1100)`,
      [
        ...[organizationId, survey.campaignId, JSON.stringify([{ metadata_id: 1, value: EMAIL }])],
        [`e${EMAIL.toLowerCase()}`],
      ],
    );
    const metadata_mappings = { cashier: EMAIL, staff: [PHONE], note: 'kept' };
    for (let batch = 0; batch < 3; batch++) {
      const others = Array.from({ length: 400 }, () => response({ user_phone: '1', metadata_mappings }));
      const own = Array.from({ length: 300 }, () => response({ user_phone: PHONE, user_name: MARKER }));
      await store(...others, ...own);
    }
    const counted = await countOf(subject);
    const { found } = await erased();
    expect(found).toEqual({ responses: 900, links: 1_100, metadataValues: 3_500 });
    expect(counted).toEqual(found);
    expect(await everything()).not.toMatch(/marker/i);
    const { body } = await survey.get('/external/survey-response-digests', {
      start_date: '2020-01-01',
      end_date: '2035-01-01',
    });
    expect(body.items.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0)).toBe(1_200);
  });

  it('leaves nothing behind when a page is answered between its steps', async () => {
    const page = await linkOf(PHONE);
    // After all others in the order of the steps.
    await store(response({ identifier: 'ffffffff-ffff-4fff-bfff-ffffffffffff', user_phone: PHONE }));
    const eraser = surveyEraser(survey.service.dataSource);
    const { organizationId } = page.caller;
    const ofPhone = { userIds: [], phones: ['+84901234567'], emails: [] };
    let position: string | null = null;
    do {
      const erasure = { organizationId, subject: ofPhone, requestedAt: new Date(), position };
      const step: ErasureStep = await eraser.transaction(organizationId, (manager) =>
        eraser.erase(manager, erasure),
      );
      position = step.next;
      await page.submitForm({ ...FORM, identifier: await page.newIdentifier() }).expect(200);
    } while (position);
    expect(await listed()).not.toEqual([]);
    expect(await everything()).not.toContain('123-4567');
  });

  it('finds no link that is newer than the request', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: EMAIL }];
    const { body: link } = await survey.createLink({ name: 'New', metadata_mapping });
    const { manager } = survey.service.dataSource;
    const hoa = { userIds: [], phones: [], emails: [EMAIL.toLowerCase()] };
    const erasure = { organizationId: survey.caller.organizationId, subject: hoa, position: null };
    const eraseSince = (requestedAt: Date) => eraseLinks(manager, { ...erasure, requestedAt });
    expect(await eraseSince(new Date(Date.parse(link.created) - 10))).toBeUndefined();
    expect(await eraseSince(new Date(link.created))).toMatchObject({
      found: { links: 1 },
      last: `${link.id}`,
    });
  });

  it('reaches no other organization', async () => {
    const own = Object.values(known());
    await store(...own);
    const other = await survey.other();
    const id = randomUUID();
    const { body } = await erase({ id, subject }, other).expect(200);
    expect(body.found).toEqual({ responses: 0, links: 0, metadataValues: 0 });
    expect(await listed()).toHaveLength(4);
    await survey.get(`${ERASURES}/${id}`).expect(404);
  });
});
