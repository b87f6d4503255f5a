import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { runs } from '@cxp/testing';
import { campaignRecord } from './records';
import {
  CAMPAIGN_NOT_FOUND,
  createLink,
  importRecords,
  linksOf,
  missing,
  postText,
  startSurvey,
  thresholdExceeded,
} from './survey-service';

const PUBLIC_URL = 'https://s.example.com/surveys';

let service: TestService;
let caller: Caller;
let campaign: string;

beforeAll(async () => {
  service = await startSurvey({
    SURVEY_PUBLIC_URL: PUBLIC_URL,
  });
});
beforeEach(async () => {
  caller = await service.caller();
  campaign = await newCampaign();
  await importRecords(
    service,
    caller,
    ...[1, 2, 3].map(
      (id) => ['metadata_field', { id, name: `Trường ${id}`, variable: `field_${id}` }] as const,
    ),
  );
});
afterAll(() => service.stop());

async function newCampaign(): Promise<string> {
  const id = randomUUID();
  await importRecords(service, caller, ['survey_campaign', campaignRecord({ id })]);
  return id;
}

const limitTo = (max_survey_links_per_campaign: number) =>
  importRecords(service, caller, ['organization_settings', { max_survey_links_per_campaign }]);
const post = (body: unknown, id = campaign) =>
  postText(service, `${linksOf(id)}/batch`, caller.headers, JSON.stringify(body));
const link = (value: unknown, name = 'Cửa hàng') => ({ name, metadata_mapping: [{ metadata_id: 1, value }] });

/** What does not depend on when a link was created. */
function stable({ status, body }: { status: number; body: Record<string, unknown> }) {
  return {
    status,
    body: status === 200 ? { name: body.name, metadata_mapping: body.metadata_mapping } : body,
  };
}

async function countOf(id = campaign): Promise<number> {
  const [{ links }] = await service.dataSource.query<[{ links: number }]>(
    'SELECT count(*)::int AS links FROM survey.link WHERE organization_id = $1 AND campaign_id = $2',
    [caller.organizationId, id],
  );
  return links;
}

describe('C4', () => {
  it('names the public address of the survey in its Link header', async () => {
    const { body, headers } = await createLink(service, caller, campaign, link('a')).expect(200);
    expect(headers.link).toBe(`<${PUBLIC_URL}/s/${body.public_id}>; rel="alternate"; type="text/html"`);
  });

  it('has no Link header, and the link has no page, with more than 32 KiB of metadata', async () => {
    // Three bytes each, and a few for the rest of the mapping.
    const values = Array.from({ length: 10 }, () => 'ế'.repeat(1_080));
    const spare =
      32 * 1_024 - Buffer.byteLength(JSON.stringify([{ metadata_id: 1, value: [...values, ''] }]));
    for (const [characters, hasPage] of [
      [spare, true],
      [spare + 1, false],
    ] as const) {
      const asked = link([...values, 'x'.repeat(characters)]);
      const { body, headers } = await createLink(service, caller, campaign, asked).expect(200);
      expect(headers.link !== undefined).toBe(hasPage);
      const batch = await post({ items: [asked] }).expect(200);
      expect(batch.body.items).toMatchObject([{ body: { id: body.id } }]);
      expect(batch.body.items[0].url !== null).toBe(hasPage);
      for (const path of ['', '/qr.svg']) {
        await request(service.url)
          .get(`/s/${body.public_id}${path}`)
          .expect(hasPage ? 200 : 404);
      }
      await request(service.url)
        .post(`/s/${body.public_id}/responses`)
        .type('form')
        .expect(hasPage ? 422 : 404);
    }
  });

  it('has no Link header for an answer without a link', async () => {
    const { headers } = await createLink(service, caller, campaign, {}).expect(422);
    expect(headers).not.toHaveProperty('link');
  });
});

describe('a batch of links', () => {
  it('answers each item with its status, body and address, in order', async () => {
    const { body } = await post({ items: [link('a'), { metadata_mapping: [] }, link('b')] }).expect(200);
    const [a, refused, b] = body.items;
    for (const item of [a, b]) {
      expect(item).toEqual({
        status: 200,
        body: {
          id: expect.any(Number),
          public_id: expect.any(String),
          name: 'Cửa hàng',
          metadata_mapping: expect.any(Array),
          created: expect.stringMatching(/Z$/),
          updated: expect.stringMatching(/Z$/),
        },
        url: `${PUBLIC_URL}/s/${item.body.public_id}`,
      });
    }
    expect(a.body.id).toBeLessThan(b.body.id);
    expect(refused).toEqual({ status: 422, body: { detail: [missing('body', 'name')] }, url: null });
    expect(await createLink(service, caller, campaign, link('a', 'Another name'))).toMatchObject({
      body: a.body,
    });
  });

  it('names 100 problems of all items, and one of each', async () => {
    const unknown = {
      name: 'x',
      metadata_mapping: Array.from({ length: 60 }, (_, id) => ({ metadata_id: 100 + id })),
    };
    const wrong = { name: 'x', metadata_mapping: Array.from({ length: 60 }, () => 1) };
    const { body } = await post({ items: [unknown, wrong, wrong, unknown, unknown] }).expect(200);
    const listed = (body.items as { body: { detail: object[] } }[]).map((item) => item.body.detail.length);
    expect(listed).toEqual([1, 60, 40, 1, 1]);
  });

  it('gives a repeated mapping the first link, and a refused item no place', async () => {
    await limitTo(3);
    const unknown = { name: 'x', metadata_mapping: [{ metadata_id: 9, value: 1 }] };
    const sent = [
      link(1, 'first'),
      unknown,
      link(1, 'again'),
      link(2),
      {},
      link(3),
      link(4),
      link(1),
      link(5),
    ];
    const { body } = await post({ items: sent }).expect(200);
    const statuses = body.items.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual([200, 422, 200, 200, 422, 200, 422, 200, 422]);
    expect(body.items[2]).toEqual(body.items[0]);
    expect(body.items[7]).toEqual(body.items[0]);
    expect(body.items[0].body.name).toBe('first');
    expect(body.items[1].body.detail).toMatchObject([{ type: 'unknown_metadata' }]);
    expect(body.items[6].body).toEqual(thresholdExceeded(3));
    expect(await countOf()).toBe(3);
  });

  it('answers whatever C4 would have answered, called for one item after the other', async () => {
    const value = fc.constantFrom<unknown>(1, 2, '1', null, ['a', 1], 'x'.repeat(2001), { a: 1 }, undefined);
    const mapping = fc.array(fc.record({ metadata_id: fc.constantFrom<unknown>(1, 2, 3, 9, '1'), value }), {
      maxLength: 2,
    });
    const body = fc.oneof(
      { weight: 9, arbitrary: fc.record({ name: fc.constantFrom('a', ' b '), metadata_mapping: mapping }) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], {}, { name: '' }, 'x') },
    );
    await limitTo(4);
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 12 }), async (items) => {
        const [inBatch, oneByOne] = [await newCampaign(), await newCampaign()];
        const answered = await post({ items }, inBatch).expect(200);
        const expected = [];
        for (const item of items) expected.push(stable(await createLink(service, caller, oneByOne, item)));
        expect(answered.body.items.map(stable)).toEqual(expected);
        expect(await countOf(inBatch)).toBe(await countOf(oneByOne));
      }),
      { numRuns: runs(5) },
    );
  });

  it('stays exact beside other batches and single calls', async () => {
    await limitTo(60);
    const values = (first: number) => Array.from({ length: 20 }, (_, i) => link((first + i) % 80));
    const batches = Array.from({ length: 8 }, (_, i) => post({ items: values(i * 10) }));
    const singles = Array.from({ length: 20 }, (_, i) => createLink(service, caller, campaign, link(i * 4)));
    const answers = await Promise.all([...batches, ...singles]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    expect(await countOf()).toBe(60);
    const idsByValue = new Map<string, Set<number>>();
    for (const { body } of answers.slice(0, batches.length)) {
      for (const { status, body: created } of body.items) {
        if (status !== 200) continue;
        const key = JSON.stringify(created.metadata_mapping);
        idsByValue.set(key, (idsByValue.get(key) ?? new Set()).add(created.id));
      }
    }
    expect([...idsByValue.values()].filter((ids) => ids.size !== 1)).toEqual([]);
  });

  it('takes 500 items of 4 MiB together, and no more', async () => {
    await limitTo(500);
    const items = Array.from({ length: 500 }, (_, i) => link(`${i}-${'ế'.repeat(1900)}`));
    expect(Buffer.byteLength(JSON.stringify({ items }))).toBeLessThan(4 * 1024 * 1024);
    const { body } = await post({ items }).expect(200);
    expect(new Set(body.items.map((item: { status: number }) => item.status))).toEqual(new Set([200]));
    await post({ items: [...items, link('x')] }).expect(422);
    await post({ items: [{ name: 'x', note: 'x'.repeat(4 * 1024 * 1024) }] }).expect(413, {
      detail: 'Payload Too Large',
    });
  });

  it.each([
    ['no object', [], ['body'], 'dict_type'],
    ['no items', {}, ['body', 'items'], 'missing'],
    ['items that are no list', { items: {} }, ['body', 'items'], 'list_type'],
    ['an empty list', { items: [] }, ['body', 'items'], 'too_short'],
    ['501 items', { items: Array(501).fill(link(1)) }, ['body', 'items'], 'too_long'],
  ])('is 422 as a whole for %s', async (_, body, loc, type) => {
    const answer = await post(body).expect(422);
    expect(answer.body.detail).toMatchObject([{ loc, type }]);
    expect(await countOf()).toBe(0);
  });

  it('is 404 for a campaign that is unknown, deleted, or of another organization', async () => {
    await post({ items: [link(1)] }, randomUUID()).expect(404, CAMPAIGN_NOT_FOUND);
    await importRecords(service, caller, [
      'survey_campaign',
      campaignRecord({ id: campaign, status: 'deleted' }),
    ]);
    await post({ items: [link(1)] }).expect(404, CAMPAIGN_NOT_FOUND);
    const theirs = await newCampaign();
    caller = await service.caller();
    await post({ items: [link(1)] }, theirs).expect(404, CAMPAIGN_NOT_FOUND);
    await post({ items: [link(1)] }, 'x').expect(422);
    expect(await countOf(theirs)).toBe(0);
  });
});

describe('without SURVEY_PUBLIC_URL', () => {
  let plain: TestService;
  beforeAll(async () => {
    plain = await startSurvey();
  });
  afterAll(() => plain.stop());

  it('there is no Link header, and no address', async () => {
    const owner = await plain.caller();
    await importRecords(plain, owner, ['survey_campaign', campaignRecord({ id: campaign })]);
    const { headers } = await createLink(plain, owner, campaign, { name: 'x' }).expect(200);
    expect(headers).not.toHaveProperty('link');
    const body = JSON.stringify({ items: [{ name: 'x' }] });
    const answer = await postText(plain, `${linksOf(campaign)}/batch`, owner.headers, body).expect(200);
    expect(answer.body.items).toMatchObject([{ status: 200, url: null }]);
  });
});
