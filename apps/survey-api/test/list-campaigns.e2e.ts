import { randomUUID } from 'node:crypto';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import type { SurveyQuestion } from '../src/campaigns/survey-question';
import { campaignRecord, question } from './records';
import { useSurvey } from './survey-service';

const survey = useSurvey();

async function importCampaigns(...parts: Partial<CampaignRecord>[]): Promise<string[]> {
  const records = parts.map(campaignRecord);
  await survey.import(...records.map((record) => ['survey_campaign', record] as const));
  return records.map(({ id }) => id);
}

async function namesOf(query: Parameters<typeof survey.listCampaigns>[0]): Promise<string[]> {
  const { body } = await survey.listCampaigns(query).expect(200);
  return body.items.map(({ name }: { name: string }) => name);
}

describe('C1 list survey campaigns', () => {
  it('answers exactly the fields of the contract, null where there is no value', async () => {
    const survey_questions: SurveyQuestion[] = [
      question(9_007_199_254_740_991, 'matrix', {
        metric_type: 'csat',
        row_titles_by_id: { '1': 'Giá', '2': 'Chất lượng' },
        column_titles: ['Tốt', 'Kém'],
      }),
      question(12, 'ranking', { option_titles_by_id: { '1': 'Giá' } }),
    ];
    const last_interacted_at = '2026-11-20T15:15:30.5+07:00';
    const [id] = await importCampaigns({
      name: 'Khảo sát sau mua hàng 😀',
      last_interacted_at,
      survey_questions,
    });
    const { body } = await survey.listCampaigns().expect(200);
    expect(body).toEqual({
      items: [
        {
          id,
          name: 'Khảo sát sau mua hàng 😀',
          last_interacted_at: '2026-11-20T08:15:30.500Z',
          survey_questions,
        },
      ],
      total: 1,
      page: 1,
      per_page: 10,
      pages: 1,
    });
  });

  it('orders by last interaction, the latest first and none last, then by id', async () => {
    await importCampaigns(
      { name: 'never' },
      { name: 'b', id: 'bbbbbbbb-0000-4000-8000-000000000000', last_interacted_at: '2026-01-01T00:00:00Z' },
      { name: 'late', last_interacted_at: '2026-01-02T00:00:00Z' },
      { name: 'a', id: 'aaaaaaaa-0000-4000-8000-000000000000', last_interacted_at: '2026-01-01T00:00:00Z' },
    );
    const ordered = ['late', 'a', 'b', 'never'];
    expect(await namesOf({})).toEqual(ordered);
    for (const [index, name] of ordered.entries())
      expect(await namesOf({ per_page: '1', page: String(index + 1) })).toEqual([name]);
  });

  it('has the latest of its own interaction and those of its responses, in whatever order they come', async () => {
    const at = (time: string) => `2026-01-${time}:00:00.000Z`;
    const answered = (time: string) =>
      survey.importResponses(survey.response({ sent_timestamp: null, answered_timestamp: at(time) }));
    const own = (time: string | null) => survey.importCampaign({ last_interacted_at: time && at(time) });
    const latest = async () => (await survey.listCampaigns().expect(200)).body.items[0]?.last_interacted_at;
    await answered('02T00');
    // It is named by a response only.
    expect(await latest()).toBeUndefined();
    for (const [interact, expected] of [
      [() => own(null), '02T00'],
      [() => answered('01T00'), '02T00'],
      [() => own('03T00'), '03T00'],
      [() => answered('02T12'), '03T00'],
      [() => answered('04T00'), '04T00'],
      [() => own(null), '04T00'],
    ] as const) {
      await interact();
      expect(await latest()).toBe(at(expected));
    }
  });

  it('has the latest of interactions that arrive at once', async () => {
    const days = ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];
    await Promise.all([
      survey.importCampaign(),
      ...days.map((day) => survey.importResponses(survey.response({ sent_timestamp: day }))),
    ]);
    const { body } = await survey.listCampaigns().expect(200);
    expect(body.items).toMatchObject([{ last_interacted_at: days.at(-1) }]);
  });

  it('is what its last record says', async () => {
    const [id] = await importCampaigns({ name: 'first', survey_questions: [question(1, 'text')] });
    await importCampaigns({ id, name: 'second' }, { id, name: 'third' });
    const { body } = await survey.listCampaigns().expect(200);
    expect(body.items).toMatchObject([{ id, name: 'third', survey_questions: [] }]);
  });

  it('lists all but deleted campaigns unless statuses are asked for, however they are written', async () => {
    for (const status of ['draft', 'active', 'inactive', 'deleted'] as const) {
      await importCampaigns({ name: status, status });
    }
    const sorted = async (query: string) => (await namesOf(query)).sort();
    expect(await sorted('')).toEqual(['active', 'draft', 'inactive']);
    expect(await sorted('statuses=')).toEqual(['active', 'draft', 'inactive']);
    expect(await sorted('statuses=deleted')).toEqual(['deleted']);
    for (const query of [
      'statuses=draft&statuses=deleted',
      'statuses[]=draft&statuses[]=deleted',
      'statuses%5B0%5D=draft&statuses%5B1%5D=deleted',
      'statuses=draft,deleted',
      'statuses=draft,&statuses[]=%20deleted&statuses[x]=active',
    ]) {
      expect(await sorted(query)).toEqual(['deleted', 'draft']);
    }
  });

  it('restricts to ids, of any case and any organization but its own found', async () => {
    const [a, b] = await importCampaigns({ name: 'a' }, { name: 'b' }, { name: 'c' });
    const elsewhere = await (await survey.other()).importCampaign({ name: 'theirs' });
    expect(
      (await namesOf(`survey_campaign_ids=${a!.toUpperCase()}&survey_campaign_ids=${b}`)).sort(),
    ).toEqual(['a', 'b']);
    expect(await namesOf(`survey_campaign_ids[]=${elsewhere},${a}`)).toEqual(['a']);
    expect(await namesOf(`survey_campaign_ids=${randomUUID()}`)).toEqual([]);
  });

  it('has campaigns with an interaction from the first instant of a day in UTC+7', async () => {
    await importCampaigns(
      { name: 'before', last_interacted_at: '2026-01-04T16:59:59.999Z' },
      { name: 'first instant', last_interacted_at: '2026-01-04T17:00:00Z' },
      { name: 'never' },
    );
    expect(await namesOf({ has_interaction_from: '2026-01-05' })).toEqual(['first instant']);
  });

  it.each([
    ['SÁT', ['Khảo sát 100%']],
    ['khảo', ['Khảo sát 100%']],
    ['khảo', ['Khảo sát 100%']],
    ['%', ['Khảo sát 100%']],
    ['0%s', []],
    ['_', ['Plain_name']],
    ['n_n', ['Plain_name']],
    ['a_n', []],
    ['\\', []],
    ['', ['Khảo sát 100%', 'Plain_name']],
  ])('searches names for %j', async (search, names) => {
    await importCampaigns({ name: 'Khảo sát 100%' }, { name: 'Plain_name' });
    expect((await namesOf({ search })).sort()).toEqual(names);
  });

  it('applies all filters together', async () => {
    const [wanted, early] = await importCampaigns(
      { name: 'wanted', status: 'draft', last_interacted_at: '2026-01-05T00:00:00Z' },
      { name: 'wanted early', status: 'draft', last_interacted_at: '2026-01-01T00:00:00Z' },
      { name: 'wanted, but of another id', status: 'draft', last_interacted_at: '2026-01-05T00:00:00Z' },
    );
    const [deleted, named] = await importCampaigns(
      { name: 'wanted', status: 'deleted', last_interacted_at: '2026-01-05T00:00:00Z' },
      { name: 'other', status: 'draft', last_interacted_at: '2026-01-05T00:00:00Z' },
    );
    const ids = [wanted, early, deleted, named].join();
    const filter = { statuses: 'draft', has_interaction_from: '2026-01-05', search: 'wanted' };
    expect(await namesOf({ ...filter, survey_campaign_ids: ids })).toEqual(['wanted']);
  });

  it('finds a part of a Greek name, whose last letter has another form', async () => {
    await importCampaigns({ name: 'ΕΡΓΑΣΙΑ' }, { name: 'εργας' });
    expect((await namesOf({ search: 'ΕΡΓΑΣ' })).sort()).toEqual(['εργας', 'ΕΡΓΑΣΙΑ'].sort());
    expect(await namesOf({ search: 'εργασι' })).toEqual(['ΕΡΓΑΣΙΑ']);
  });

  it('pages: 0 is the first page and the default size, past the end is empty with the true totals', async () => {
    await importCampaigns(...Array.from({ length: 12 }, (_, i) => ({ name: `n${i}` })));
    const ask = async (query: string) => (await survey.listCampaigns(query).expect(200)).body;
    const [first, second] = [await ask(''), await ask('page=2')];
    expect(first).toMatchObject({ total: 12, page: 1, per_page: 10, pages: 2 });
    expect(second).toMatchObject({ total: 12, page: 2, per_page: 10, pages: 2 });
    expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(12);
    expect(await ask('page=0&per_page=0')).toEqual(first);
    expect(await ask('page=3')).toEqual({ items: [], total: 12, page: 3, per_page: 10, pages: 2 });
    expect(await ask('per_page=100')).toMatchObject({ per_page: 100, pages: 1 });
    expect(await ask('page=999999999999999&per_page=100')).toMatchObject({ items: [], total: 12 });
    expect(await ask('search=nothing')).toEqual({ items: [], total: 0, page: 1, per_page: 10, pages: 0 });
  });

  describe('with its largest page', () => {
    beforeEach(async () => {
      const questions = Array.from({ length: 500 }, (_, id) => ({
        id,
        type: 'text',
        title: 'x'.repeat(200),
      }));
      const lines = Array.from({ length: 100 }, () => ({
        type: 'survey_campaign',
        data: { id: randomUUID(), name: 'x', status: 'active', survey_questions: questions },
      }));
      await survey.sendRecords(...lines).expect(200);
    });

    const ask = () =>
      fetch(`${survey.service.url}/external/survey-campaigns?per_page=100`, {
        headers: survey.caller.headers,
      });
    const askAtOnce = (calls: number) => Promise.all(Array.from({ length: calls }, ask));

    it('answers it as often at once as it may be asked for in a second', async () => {
      const answers = await askAtOnce(5);
      const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect(bodies.every(({ byteLength }) => byteLength > 15e6)).toBe(true);
    });
  });

  it.each<[string, string, string]>([
    ['survey_campaign_ids=1', 'survey_campaign_ids', 'uuid_parsing'],
    [`survey_campaign_ids=${randomUUID()},x`, 'survey_campaign_ids', 'uuid_parsing'],
    ['statuses=active,awaited', 'statuses', 'enum'],
    ['statuses=Active', 'statuses', 'enum'],
    ['has_interaction_from=2026-02-30', 'has_interaction_from', 'date_from_datetime_parsing'],
    ['has_interaction_from=2026-1-1', 'has_interaction_from', 'date_from_datetime_parsing'],
    ['has_interaction_from=', 'has_interaction_from', 'date_from_datetime_parsing'],
    ['page=-1', 'page', 'greater_than_equal'],
    ['page=1.5', 'page', 'int_type'],
    ['page=x', 'page', 'int_type'],
    ['page=', 'page', 'int_type'],
    ['page=1&page=2', 'page', 'int_type'],
    ['per_page=101', 'per_page', 'less_than_equal'],
    ['per_page=-1', 'per_page', 'greater_than_equal'],
    ['search=a&search=b', 'search', 'string_type'],
    ['search=%00', 'search', 'string_unicode'],
  ])('is 422 for %s', async (query, field, type) => {
    const { body } = await survey.listCampaigns(query).expect(422);
    expect(body).toEqual({ detail: [{ loc: ['query', field], msg: expect.any(String), type }] });
  });

  it('lists everything that is wrong at once, and ignores parameters that it does not know', async () => {
    const { body } = await survey.listCampaigns('page=x&per_page=101&limit=5').expect(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual(['page', 'per_page']);
    const { headers } = await survey
      .listCampaigns('limit=5&status[]=open&per_page=1&%C3%A9=&=x&[]=x')
      .expect(200);
    expect(headers['x-ignored-parameters']).toBe('limit, status, %C3%A9');
    expect((await survey.listCampaigns('per_page=1')).headers['x-ignored-parameters']).toBeUndefined();
  });
});
