import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { FORM, identifierIn, LinkedCampaign, QUESTIONS } from './survey-page';
import { createLink } from './survey-service';
import {
  ERASURES,
  EMAIL,
  PHONE,
  MARKER,
  service,
  caller,
  campaign,
  actWith,
  useErasures,
  response,
  store,
  erase,
  subject,
  erased,
  listed,
  storedLinks,
  everything,
  known,
} from './erasures';

useErasures();

async function changes(): Promise<Record<string, unknown>[]> {
  const { body } = await request(service.url).get('/external/survey-response-changes').set(caller.headers);
  return body.items;
}

describe('erasing in area C', () => {
  it('deletes the responses that an identifier leads to, reports them to followers with the reason, and no others', async () => {
    const { stranger, ...own } = known();
    await store(...Object.values(own), stranger);
    const { found, lastChange } = await erased();
    expect(found).toEqual({ responses: 3, links: 0, metadataValues: 0 });
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
    await erased();
    const { body } = await request(service.url)
      .get(`/external/survey-response-changes?cursor=${first.body.next_cursor}`)
      .set(caller.headers);
    expect(body.items).toEqual([
      { op: 'delete', change: 2, key: { identifier: byPhone.identifier }, reason: 'erased' },
    ]);
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
    const dryRun = await erase({ subject, dryRun: true }).expect(200);
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 3, links: 0, metadataValues: 3 });
    expect(dryRun.body.found).toEqual(certificate.found);
    const [, byPhone, byEmail, byNumber] = records.map(({ identifier }) => String(identifier));
    const emptied = [
      { identifier: byPhone, metadata_mappings: { cashier: null, store: 'Hà Nội 01' } },
      { identifier: byEmail, metadata_mappings: { staff: null, note: `of ${EMAIL}` } },
      { identifier: byNumber, metadata_mappings: { cashier: null, rate: 1.5 } },
    ];
    const byIdentifier = (one: Record<string, unknown>, other: Record<string, unknown>) =>
      String(one.identifier) < String(other.identifier) ? -1 : 1;
    expect((await listed()).sort(byIdentifier)).toMatchObject(emptied.sort(byIdentifier));
    expect(certificate.keys).toMatchObject({
      metadata_value: [
        `response:${byPhone}/cashier`,
        `response:${byEmail}/staff`,
        `response:${byNumber}/cashier`,
      ].sort(),
    });
    const changed = (await changes()).filter(({ op }) => op === 'upsert');
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
    await request(service.url)
      .post('/internal/records')
      .set({ ...caller.headers, 'content-type': 'application/x-ndjson' })
      .send(removals.map((removal) => JSON.stringify(removal)).join('\n'))
      .expect(200);
    await store(...again);
    expect((await listed()).sort(byIdentifier)).toMatchObject(
      emptied.map((each) => ({ ...each, user_name: 'again' })),
    );
  });

  it('empties all metadata of a response of somebody else if a variable is an identifier, which no key holds', async () => {
    const record = response({ user_phone: '1', metadata_mappings: { [EMAIL]: 'x', store: 'Hà Nội 01' } });
    await store(record);
    const certificate = await erased();
    expect(certificate).toMatchObject({ found: { responses: 0, metadataValues: 1 } });
    expect(certificate.keys).toEqual({ metadata_value: [`response:${record.identifier}/`] });
    await store({ ...record, user_name: 'again' });
    expect(await listed()).toMatchObject([{ user_name: 'again', metadata_mappings: null }]);
    expect(await everything()).not.toMatch(/marker/i);
  });

  it('does not let a deleted response come back, by a record or by an open page', async () => {
    const page = await LinkedCampaign.create(service, QUESTIONS, {
      name: `Link of ${EMAIL}`,
      metadata_mapping: [{ metadata_id: 1, value: EMAIL }],
    });
    actWith(page);
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
      createLink(service, caller, campaign, {
        name,
        metadata_mapping: [{ metadata_id: 1, value }, labels],
      }).expect(200);
    const { body: ofCustomer } = await link(EMAIL, 'Customer');
    await link(['x', PHONE, 'other@example.com'], 'List');
    await link(84_901_234_567, 'Number');
    const { body: other } = await link(`x${EMAIL}`, 'Other');
    await link(849_012_345_670, 'Stranger');
    const dryRun = await erase({ subject, dryRun: true }).expect(200);
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 0, links: 3, metadataValues: 3 });
    expect(dryRun.body.found).toEqual(certificate.found);
    const emptied = { name: '', metadata_mapping: [{ metadata_id: 1, value: null }, labels] };
    expect(await storedLinks()).toEqual([
      emptied,
      emptied,
      emptied,
      { name: 'Other', metadata_mapping: [{ metadata_id: 1, value: `x${EMAIL}` }, labels] },
      { name: 'Stranger', metadata_mapping: [{ metadata_id: 1, value: 849_012_345_670 }, labels] },
    ]);
    const first = Number(ofCustomer.id);
    expect(certificate.keys).toEqual({
      metadata_value: [first, first + 1, first + 2].map((id) => `link:${id}/1`).sort(),
    });
    await request(service.url).get(`/s/${ofCustomer.public_id}`).expect(200);
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
      await createLink(service, caller, campaign, { name: MARKER, metadata_mapping }).expect(200);
    };
    for (let n = 0; n < 25; n++) await made(labels(`stranger ${n}`));
    await made(labels(PHONE));
    const [keys] = await service.dataSource.query<[{ most: number }]>(
      'SELECT max(cardinality(person_keys)) AS most FROM survey.link WHERE organization_id = $1',
      [caller.organizationId],
    );
    expect(keys.most).toBe(1);
    const dryRun = await erase({ subject, dryRun: true }).expect(200);
    expect(dryRun.body.found).toEqual({ responses: 0, links: 1, metadataValues: 1 });
    expect((await erased()).found).toEqual({ responses: 0, links: 1, metadataValues: 1 });
    const names = (await storedLinks()).map((link) => (link as { name: string }).name);
    expect(names).toEqual([...Array<string>(25).fill(MARKER), '']);
  });

  it('knows no user ids: they match nothing in responses and links', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: '7' }];
    const ofStore = [{ store: '7' }, { customer: { id: '7' } }].map((metadata_mappings) =>
      response({ metadata_mappings, user_name: '7', transaction_id: '7' }),
    );
    await store(...ofStore);
    await createLink(service, caller, campaign, { name: 'Store 7', metadata_mapping }).expect(200);
    const own = [...metadata_mapping, { metadata_id: 2, value: EMAIL }];
    await createLink(service, caller, campaign, { name: 'Person', metadata_mapping: own }).expect(200);
    const before = await listed();

    const none = { responses: 0, links: 0, metadataValues: 0 };
    const { body } = await erase({ subject: { userIds: ['7'] }, dryRun: true }).expect(200);
    expect(body.found).toEqual(none);
    const certificate = await erased({ userIds: ['7'] });
    expect(certificate.found).toEqual(none);
    expect((await erased({ userIds: ['7'], emails: [EMAIL] })).found).toEqual({
      ...none,
      links: 1,
      metadataValues: 1,
    });
    await request(service.url).post(`${ERASURES}/again`).set(caller.headers).send(certificate).expect(200);

    expect(await listed()).toEqual(before);
    expect(await storedLinks()).toEqual([
      { name: 'Store 7', metadata_mapping },
      { name: '', metadata_mapping: [...metadata_mapping, { metadata_id: 2, value: null }] },
    ]);
  });

  it('says in a dry run what it would find, and changes nothing', async () => {
    const own = Object.values(known());
    await store(...own);
    const { body } = await erase({ subject, dryRun: true }).expect(200);
    expect(body).toMatchObject({ id: null, area: 'survey', erasedAt: null, keys: {} });
    expect(body.found).toEqual({ responses: 3, links: 0, metadataValues: 0 });
    expect(await listed()).toHaveLength(4);
  });
});
