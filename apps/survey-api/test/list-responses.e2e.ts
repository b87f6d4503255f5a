import type { ResponseRecord } from '../src/responses/response-fields';
import { missing, UNKNOWN_CAMPAIGN, UNKNOWN_CAMPAIGNS, useSurvey } from './survey-service';

const survey = useSurvey();

beforeEach(async () => {
  await survey.importCampaign();
});

const list = async (query: object = {}) => (await survey.listResponses(query).expect(200)).body;

describe('C2 list survey responses', () => {
  it('answers exactly the fields of the contract, null where there is no value', async () => {
    const full = survey.response({
      sent_timestamp: '2026-01-05T02:00:00Z',
      sending_failed_timestamp: '2026-01-05T02:00:01Z',
      opened_timestamp: '2026-01-05T02:00:02Z',
      answered_timestamp: '2026-01-05T09:00:03.004+07:00',
      user_name: 'Nguyễn Thị Hoa',
      user_phone: '+84 90 123 4567',
      user_email: 'hoa@example.com',
      source: 'Zalo',
      transaction_id: 'INV-1',
      tags: ['vip'],
      metadata_mappings: { store: 'Hà Nội', count: 3, list: ['a', null] },
      answers: null,
    });
    const bare = survey.response({ sent_timestamp: null, opened_timestamp: '2026-01-06T00:00:00Z' });
    await survey.importResponses(full, bare);
    expect(await list()).toEqual({
      items: [
        {
          identifier: full.identifier,
          sent_timestamp: '2026-01-05T02:00:00.000Z',
          sending_failed_timestamp: '2026-01-05T02:00:01.000Z',
          opened_timestamp: '2026-01-05T02:00:02.000Z',
          answered_timestamp: '2026-01-05T02:00:03.004Z',
          user_name: 'Nguyễn Thị Hoa',
          user_phone: '+84 90 123 4567',
          user_email: 'hoa@example.com',
          source: 'Zalo',
          transaction_id: 'INV-1',
          metadata_mappings: { store: 'Hà Nội', count: 3, list: ['a', null] },
          answers: null,
        },
        {
          identifier: bare.identifier,
          sent_timestamp: null,
          sending_failed_timestamp: null,
          opened_timestamp: '2026-01-06T00:00:00.000Z',
          answered_timestamp: null,
          user_name: null,
          user_phone: null,
          user_email: null,
          source: null,
          transaction_id: null,
          metadata_mappings: null,
          answers: null,
        },
      ],
      total: 2,
      page: 1,
      per_page: 10,
      pages: 1,
    });
  });

  it('reads both dates as whole days in UTC+7 and places a response by its earliest timestamp', async () => {
    const times = {
      before: '2026-01-04T16:59:59.999Z',
      first: '2026-01-04T17:00:00Z',
      last: '2026-01-05T16:59:59.999Z',
      after: '2026-01-05T17:00:00Z',
    };
    await survey.importResponses(
      ...Object.entries(times).map(([user_name, time]) =>
        survey.response({ user_name, sent_timestamp: time }),
      ),
      survey.response({
        user_name: 'opened earlier',
        sent_timestamp: '2026-01-09T00:00:00Z',
        opened_timestamp: '2026-01-05T01:00:00Z',
      }),
    );
    const { items } = await list({ start_date: '2026-01-05', end_date: '2026-01-05' });
    expect(items.map(({ user_name }: { user_name: string }) => user_name)).toEqual([
      'first',
      'opened earlier',
      'last',
    ]);
  });

  it('pages in the order of time, then identifier, without skipping or repeating', async () => {
    const records = Array.from({ length: 25 }, (_, i) =>
      survey.response({ sent_timestamp: new Date(Date.UTC(2026, 0, 2 + Math.floor(i / 10))).toISOString() }),
    );
    await survey.importResponses(...records);
    const ordered = records
      .map(({ sent_timestamp, identifier }) => `${sent_timestamp}${identifier}`)
      .sort()
      .map((key) => key.slice(-36));
    const pages = [await list(), await list({ page: 2 }), await list({ page: 3 })];
    expect(pages.flatMap(({ items }) => items).map(({ identifier }) => identifier)).toEqual(ordered);
    expect(pages[2]).toMatchObject({ total: 25, page: 3, per_page: 10, pages: 3 });
    expect(await list({ page: 0, per_page: 0 })).toEqual(pages[0]);
    expect(await list({ page: 4 })).toEqual({ items: [], total: 25, page: 4, per_page: 10, pages: 3 });
    expect((await list({ per_page: 100 })).items).toHaveLength(25);
    expect(await list({ start_date: '2026-01-30' })).toEqual({
      items: [],
      total: 0,
      page: 1,
      per_page: 10,
      pages: 0,
    });
  });

  it('takes a window as wide as the calendar', async () => {
    await survey.importResponses(
      survey.response({ sent_timestamp: '0001-01-01T00:00:00Z' }),
      survey.response({ sent_timestamp: '9999-12-31T23:59:59.999Z' }),
    );
    const timesOf = async (start_date: string, end_date: string) =>
      (await list({ start_date, end_date })).items.map((item: ResponseRecord) => item.sent_timestamp);
    const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    expect(await timesOf('0001-01-01', '9999-12-31')).toEqual([first, last]);
    // It is the year 10000 in UTC+7 then.
    expect(await timesOf('9999-12-31', '9999-12-31')).toEqual([last]);
    expect(await timesOf('0001-01-01', '9999-12-30')).toEqual([first]);
  });

  it('still serves a deleted campaign', async () => {
    await survey.importResponses(survey.response());
    await survey.importCampaign({ status: 'deleted' });
    expect((await list()).total).toBe(1);
  });

  it.each(UNKNOWN_CAMPAIGNS)('is 422 for a campaign that %s', async (_, idOf) => {
    const query = { survey_campaign_id: await idOf(survey) };
    expect((await survey.listResponses(query).expect(422)).body).toEqual(UNKNOWN_CAMPAIGN);
  });

  it('never shows a response of another organization, even under one campaign id', async () => {
    await survey.importResponses(survey.response({ user_name: 'ours' }));
    const foreign = await survey.other();
    await foreign.importCampaign();
    await foreign.importResponses(survey.response({ user_name: 'theirs' }));
    expect((await list()).items).toMatchObject([{ user_name: 'ours' }]);
    expect((await foreign.listResponses().expect(200)).body.items).toMatchObject([{ user_name: 'theirs' }]);
  });

  it('answers its largest page as often at once as it may be asked for in a second', async () => {
    const answers = Object.fromEntries(Array.from({ length: 24 }, (_, id) => [id, 'x'.repeat(5_000)]));
    for (let batch = 0; batch < 2; batch++) {
      await survey.importResponses(...Array.from({ length: 50 }, () => survey.response({ answers })));
    }
    const query = `survey_campaign_id=${survey.campaignId}&start_date=2026-01-01&end_date=2026-01-31&per_page=100`;
    const pages = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const answer = await fetch(`${survey.service.url}/external/survey-responses?${query}`, {
          headers: survey.caller.headers,
        });
        return [answer.status, (await answer.arrayBuffer()).byteLength > 12e6];
      }),
    );
    expect(pages).toEqual(Array(5).fill([200, true]));
  });

  it('is 422 with what is missing', async () => {
    const { body } = await survey.listResponses('').expect(422);
    expect(body).toEqual({
      detail: [
        missing('query', 'survey_campaign_id'),
        missing('query', 'start_date'),
        missing('query', 'end_date'),
      ],
    });
  });

  it.each<[object, string, string]>([
    [{ survey_campaign_id: 'c-1' }, 'survey_campaign_id', 'uuid_parsing'],
    [{ start_date: '2026-02-30' }, 'start_date', 'date_from_datetime_parsing'],
    [{ end_date: '31/01/2026' }, 'end_date', 'date_from_datetime_parsing'],
    [{ end_date: '' }, 'end_date', 'date_from_datetime_parsing'],
    [{ start_date: ['2026-01-01', '2026-01-02'] }, 'start_date', 'date_from_datetime_parsing'],
    [{ start_date: '2026-02-01' }, 'end_date', 'value_error'],
    [{ page: -1 }, 'page', 'greater_than_equal'],
    [{ page: 'x' }, 'page', 'int_type'],
    [{ per_page: 101 }, 'per_page', 'less_than_equal'],
  ])('is 422 for %j', async (query, field, type) => {
    const { body } = await survey.listResponses(query).expect(422);
    expect(body).toEqual({ detail: [{ loc: ['query', field], msg: expect.any(String), type }] });
  });
});
