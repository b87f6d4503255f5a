import { randomUUID } from 'node:crypto';
import request from 'supertest';
import {
  CAMPAIGN_NOT_FOUND,
  linksOf,
  missing,
  thresholdExceeded,
  UNKNOWN_CAMPAIGNS,
  useSurvey,
} from './survey-service';

const PUBLIC_URL = 'https://s.example.com/surveys';

const survey = useSurvey({ SURVEY_PUBLIC_URL: PUBLIC_URL });

beforeEach(async () => {
  await survey.importCampaign({ survey_questions: [{ id: 1, type: 'text', title: 'Why?' }] as never });
  const ids = Array.from({ length: 201 }, (_, id) => id);
  await survey.import(
    ...ids.map((id) => ['metadata_field', { id, name: `Trường ${id}`, variable: `field_${id}` }] as const),
  );
});

const create = (body: unknown) => survey.createLink(body);
const postText = (body: string | Buffer, headers = {}) =>
  survey.postText(linksOf(survey.campaignId), body, headers);
const created = async (mapping: unknown, name = 'Cửa hàng') =>
  (await create({ name, metadata_mapping: mapping }).expect(200)).body;
const limitTo = (max_survey_links_per_campaign: number) =>
  survey.import(['organization_settings', { max_survey_links_per_campaign }]);
async function countLinks(): Promise<number> {
  const [row] = await survey.service.dataSource.query<[{ links: number }]>(
    'SELECT count(*)::int AS links FROM survey.link WHERE organization_id = $1',
    [survey.caller.organizationId],
  );
  return row.links;
}

describe('C4 create a survey link', () => {
  it('answers exactly the fields of the contract', async () => {
    const mapping = [
      { metadata_id: 3, value: 'Hà Nội 😀' },
      { metadata_id: 1, value: 4.5 },
      { metadata_id: 2, value: ['a', 1, null] },
      { metadata_id: 4, value: null },
      { metadata_id: 5 },
    ];
    const { body } = await create({ name: '  Cửa hàng 1 ', metadata_mapping: mapping, unknown: 1 }).expect(
      200,
    );
    const field = (id: number) => ({ id, name: `Trường ${id}`, variable: `field_${id}` });
    expect(body).toEqual({
      id: expect.any(Number),
      public_id: expect.stringMatching(/^[\w-]{22,}$/),
      name: 'Cửa hàng 1',
      metadata_mapping: [
        { metadata: field(3), value: 'Hà Nội 😀' },
        { metadata: field(1), value: 4.5 },
        { metadata: field(2), value: ['a', 1, null] },
        { metadata: field(4), value: null },
        { metadata: field(5), value: null },
      ],
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: body.created,
    });
    expect((await create({ name: 'x' }).expect(200)).body.metadata_mapping).toEqual([]);
  });

  it('returns the existing link for the same campaign and mapping, under the name that it has', async () => {
    const first = await created([{ metadata_id: 1, value: 1 }, { metadata_id: 2 }], 'First');
    for (const mapping of [
      [{ metadata_id: 1, value: 1 }, { metadata_id: 2 }],
      [
        { metadata_id: 2, value: null },
        { metadata_id: 1, value: 1.0 },
      ],
    ]) {
      expect(await created(mapping, 'Second')).toEqual(first);
    }
    expect(await countLinks()).toBe(1);
  });

  it('takes an absent, null and empty mapping for the same', async () => {
    const { body } = await create({ name: 'x' }).expect(200);
    expect(await created(null)).toEqual(body);
    expect(await created([])).toEqual(body);
  });

  it('is another link in another campaign, whatever its status, and in that of another organization', async () => {
    const answers = [await create({ name: 'x' })];
    const foreign = await survey.other();
    await foreign.importCampaign();
    answers.push(await foreign.createLink({ name: 'x' }));
    for (const status of ['draft', 'active', 'inactive'] as const) {
      const id = await survey.importCampaign({ id: randomUUID(), status });
      answers.push(await survey.createLink({ name: 'x' }, id));
    }
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.public_id)).size).toBe(answers.length);
  });

  it('takes lists of any JSON values as they are, of at most 32 KiB', async () => {
    const nested = '[true,[],{"constructor":{"x":1},"__proto__":{"y":[null]},"then":2,"ế":-0.5},1e+300]';
    const mapping = [
      { metadata_id: 1, value: JSON.parse(nested) as unknown },
      { metadata_id: 2, value: listOf(32 * 1_024) },
    ];
    const body = JSON.stringify({ name: 'x', metadata_mapping: mapping });
    const { text } = await postText(body).expect(200);
    expect(text).toContain(nested);
    expect(JSON.parse(text).metadata_mapping[1].value).toEqual(mapping[1]!.value);
  });

  it('names the public address of the survey in its Link header', async () => {
    const { body, headers } = await create({ name: 'x' }).expect(200);
    expect(headers.link).toBe(`<${PUBLIC_URL}/s/${body.public_id}>; rel="alternate"; type="text/html"`);
    expect((await create({}).expect(422)).headers.link).not.toContain('alternate');
  });

  it('has no Link header, and the link has no page, with more than 32 KiB of metadata as responses store them', async () => {
    const [listed, text] = ['"\u0001ế'.repeat(30), 'x😀'.repeat(100)];
    const nameThem = (other: string) =>
      survey.import(
        ['metadata_field', { id: 1, name: 'a', variable: listed }],
        ['metadata_field', { id: 2, name: 'b', variable: other }],
      );
    await nameThem(text);
    const list = listOf(32 * 1_024 - 2_000);
    const spare = 32 * 1_024 - Buffer.byteLength(JSON.stringify({ [listed]: list, [text]: '' }));
    const expectPage = async (characters: number, hasPage: boolean) => {
      const values = [list, 'x'.repeat(characters)];
      const metadata_mapping = values.map((value, index) => ({ metadata_id: index + 1, value }));
      const { body, headers } = await create({ name: 'x', metadata_mapping }).expect(200);
      expect(headers.link !== undefined).toBe(hasPage);
      const page = `/s/${body.public_id}`;
      for (const path of [page, `${page}/qr.svg`]) {
        await request(survey.service.url)
          .get(path)
          .expect(hasPage ? 200 : 404);
      }
      await request(survey.service.url)
        .post(`${page}/responses`)
        .type('form')
        .expect(hasPage ? 422 : 404);
    };
    await expectPage(spare, true);
    await expectPage(spare + 1, false);
    await nameThem(text.slice(1));
    await expectPage(spare + 1, true);
  });

  it('has no batch', async () => {
    const { body } = await survey.post(`${linksOf(survey.campaignId)}/batch`, {}).expect(404);
    expect(body).toEqual({ detail: 'Not Found' });
  });

  it('is 422 with the threshold when the campaign has 50 links, but returns those that exist', async () => {
    const links = [];
    for (let value = 0; value < 50; value += 1) links.push(await created([{ metadata_id: 1, value }]));
    const { body } = await create({ name: 'x', metadata_mapping: [{ metadata_id: 1, value: 50 }] }).expect(
      422,
    );
    expect(body).toEqual(thresholdExceeded(50));
    expect(await created([{ metadata_id: 1, value: 7 }])).toEqual(links[7]);
    expect(await countLinks()).toBe(50);
  });

  it('has the limit of its organization', async () => {
    await limitTo(0);
    expect((await create({ name: 'x' }).expect(422)).body).toEqual(thresholdExceeded(0));
    await limitTo(1);
    await created([]);
    expect((await create({ name: 'x', metadata_mapping: [{ metadata_id: 1 }] }).expect(422)).body).toEqual(
      thresholdExceeded(1),
    );
    await limitTo(2);
    await created([{ metadata_id: 1 }]);

    const other = await survey.other();
    await other.importCampaign();
    await other.import(['metadata_field', { id: 1, name: 'a', variable: 'a' }]);
    for (const value of [1, 2, 3]) {
      await other.createLink({ name: 'x', metadata_mapping: [{ metadata_id: 1, value }] }).expect(200);
    }
  });

  it.each<(typeof UNKNOWN_CAMPAIGNS)[number]>([
    ...UNKNOWN_CAMPAIGNS,
    ['is deleted', () => survey.importCampaign({ id: randomUUID(), status: 'deleted' })],
  ])('is 404 when the campaign %s', async (_, idOf) => {
    const { body } = await survey.createLink({ name: 'x' }, await idOf(survey)).expect(404);
    expect(body).toEqual(CAMPAIGN_NOT_FOUND);
  });

  it('is 404 when a campaign with links is deleted, for existing links too', async () => {
    await created([]);
    await survey.importCampaign({ status: 'deleted' });
    expect((await create({ name: 'x' }).expect(404)).body).toEqual(CAMPAIGN_NOT_FOUND);
  });

  it('takes a metadata field of another organization for one that does not exist', async () => {
    const other = await survey.other();
    await other.import(['metadata_field', { id: 999, name: 'a', variable: 'a' }]);
    const { body } = await create({
      name: 'x',
      metadata_mapping: [{ metadata_id: 1 }, { metadata_id: 999 }, { metadata_id: -1 }],
    }).expect(422);
    expect(body).toEqual({
      detail: [1, 2].map((index) => ({
        loc: ['body', 'metadata_mapping', index, 'metadata_id'],
        msg: 'The organization has no metadata field with this id',
        type: 'unknown_metadata',
      })),
    });
  });

  it('checks the body before it looks for the campaign', async () => {
    for (const body of [{}, { name: 'x', metadata_mapping: [{ metadata_id: 999 }] }])
      await survey.createLink(body, randomUUID()).expect(422);
  });

  it.each<[string, unknown, unknown]>([
    ['a name that is missing', {}, missing('body', 'name')],
    [
      'an id that is named twice',
      { name: 'x', metadata_mapping: [{ metadata_id: 1 }, { metadata_id: 1 }] },
      { loc: ['body', 'metadata_mapping', 1, 'metadata_id'], type: 'duplicate' },
    ],
    [
      'a list of more than 32 KiB',
      { name: 'x', metadata_mapping: [{ metadata_id: 1, value: listOf(32 * 1_024 + 1) }] },
      { loc: ['body', 'metadata_mapping', 0, 'value'], type: 'too_large' },
    ],
  ])('is 422 for %s', async (_, body, item) => {
    expect((await create(body).expect(422)).body).toMatchObject({ detail: [item] });
    expect(await countLinks()).toBe(0);
  });

  it('may have as many members as a body holds', async () => {
    await postText(unknownMembers(99_999)).expect(200);
  });

  it.each([
    ['malformed JSON', '{"name":', {}, 'json_invalid'],
    ['nothing', '', {}, 'json_invalid'],
    ['text that is not UTF-8', Buffer.from('{"name":"\xff"}', 'latin1'), {}, 'json_invalid'],
    ['100,000 members that it does not know', unknownMembers(100_000), {}, 'too_large'],
    ['240,000 members that it does not know', unknownMembers(240_000), {}, 'too_large'],
    ['another content type', '{"name":"x"}', { 'content-type': 'text/plain' }, 'content_type'],
  ])('is 422 for %s', async (_, text, headers, type) => {
    const { body } = await postText(text, headers).expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['body'], type }] });
  });

  it('is 422 for a campaign id that is no uuid', async () => {
    const { body } = await survey.createLink({ name: 'x' }, 'c-1').expect(422);
    expect(body).toMatchObject({ detail: [{ loc: ['path', 'survey_campaign_id'], type: 'uuid_parsing' }] });
  });
});

describe('the largest legal body', () => {
  const largest = () => ({
    name: '😀'.repeat(255),
    metadata_mapping: Array.from({ length: 200 }, (_, metadata_id) => ({
      metadata_id,
      value: '😀'.repeat(2000),
    })),
  });
  const escaped = (text: string) =>
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);

  it('is accepted in UTF-8, and is the same link with every character escaped', async () => {
    const text = JSON.stringify(largest());
    const plain = await postText(text).expect(200);
    const long = escaped(text);
    expect(Buffer.byteLength(long)).toBeGreaterThan(4 * 1024 * 1024);
    const same = await postText(long).expect(200);
    expect(same.body).toEqual(plain.body);
    expect(same.body.metadata_mapping[199].value).toBe('😀'.repeat(2000));
  });

  it('is not the largest body: a plain one over 4 MiB is 413', async () => {
    const text = JSON.stringify({ name: 'x', unknown: 'x'.repeat(4 * 1024 * 1024) });
    const { body } = await postText(text).expect(413);
    expect(body).toEqual({ detail: 'Payload Too Large' });
  });
});

/** A list of so many bytes as JSON, in which no text is too long. */
function listOf(bytes: number): string[] {
  const texts = Array.from({ length: Math.floor(bytes / 1_000) - 1 }, () => 'x'.repeat(997));
  const left = bytes - JSON.stringify([...texts, '']).length;
  return [...texts, 'x'.repeat(left)];
}

/** A sound body with so many members more. */
function unknownMembers(count: number): string {
  const more = Array.from({ length: count }, (_, index) => `"k${index}":1`);
  return `{"name":"x",${more.join(',')}}`;
}
