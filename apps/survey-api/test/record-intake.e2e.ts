import { campaignRecord, responseRecord } from './records';
import { type SentRecord, useSurvey } from './survey-service';

const survey = useSurvey();

describe('POST /internal/records of area C', () => {
  it('stores nothing when any line is bad, and says what is wrong with each', async () => {
    const ranking = {
      id: 9,
      type: 'ranking',
      title: 'Xếp hạng',
      option_titles_by_id: { '1': 'Giá' },
    };
    const campaign = { ...campaignRecord(), survey_questions: [ranking] };
    const { body } = await survey
      .sendRecords(
        { type: 'survey_campaign', data: campaign },
        '',
        {
          type: 'survey_response',
          data: { ...responseRecord({ survey_campaign_id: campaign.id }), answers: { '9': { '1': 0 } } },
        },
        { type: 'metadata_field', data: { id: 1, name: 'a', variable: 'x' } },
        { type: 'organization_settings', data: { brand: { name: 'Phở', color: '#ffffff' } } },
      )
      .expect(422);
    expect(body.detail).toEqual([
      {
        loc: ['body', 3, 'data', 'answers', '9', '1'],
        msg: 'Input should be a rank from 1',
        type: 'rank_out_of_range',
      },
      {
        loc: ['body', 5, 'data', 'brand', 'color'],
        msg: 'Input should have a contrast of at least 4.5 to white, and has 1.0',
        type: 'contrast_too_low',
      },
    ]);
    expect((await survey.listCampaigns().expect(200)).body.total).toBe(0);
  });

  it('refuses a variable that another metadata field has, unless the fields swap theirs', async () => {
    const field = (id: number, variable: string) => ({
      type: 'metadata_field',
      data: { id, name: 'Field', variable },
    });
    await survey.sendRecords(field(1, 'w'), field(1, 'x'), field(2, 'y')).expect(200);
    await survey.sendRecords(field(1, 'y'), field(2, 'x')).expect(200);
    const swapped = [field(1, 'x'), field(3, 'z'), field(4, 'v'), field(2, 'y')];
    const { body } = await survey.sendRecords(...swapped, field(5, 'z')).expect(422);
    expect(body.detail).toMatchObject([{ loc: ['body', 5, 'data', 'variable'], type: 'duplicate' }]);
  });

  it.each([
    ['1e400', 'finite_number'],
    ['-1e400', 'finite_number'],
    ['9007199254740992', 'safe_integer'],
    ['-9007199254740993.0', 'safe_integer'],
    ['1e16', 'safe_integer'],
  ])('refuses the number %s in any field', async (number, type) => {
    const campaign = campaignRecord();
    const metadata_mappings = { list: [0, 'NUMBER'] };
    const response = responseRecord({ survey_campaign_id: campaign.id, metadata_mappings });
    const data = { ...response, unknown: 'NUMBER' };
    const line = JSON.stringify({ type: 'survey_response', data });
    const send = (value: string) =>
      survey.sendRecords({ type: 'survey_campaign', data: campaign }, line.replaceAll('"NUMBER"', value));
    const { body } = await send(number).expect(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 2, 'data', 'metadata_mappings', 'list', 1], type },
      { loc: ['body', 2, 'data', 'unknown'], type },
    ]);
    await send('9007199254740991').expect(200);
  });

  it('holds answers against the questions of many large campaigns, a few at a time', async () => {
    const ranking = { id: 9, type: 'ranking', title: 'x'.repeat(20_000), option_titles_by_id: { '1': 'x' } };
    const large = Array.from({ length: 6 }, (_, n) => ({ ...ranking, id: n + 4 }));
    const campaigns = Array.from({ length: 12 }, () => ({ ...campaignRecord(), survey_questions: large }));
    for (const data of campaigns) await survey.sendRecords({ type: 'survey_campaign', data }).expect(200);
    const answered = (rank: number) =>
      campaigns.map(({ id }) => ({
        type: 'survey_response',
        data: responseRecord({ survey_campaign_id: id, answers: { '9': { '1': rank } } }),
      }));
    const { body } = await survey.sendRecords(...answered(1), ...answered(0)).expect(422);
    expect(body.detail.map(({ loc }: { loc: unknown[] }) => loc[1])).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 13),
    );
    await survey.sendRecords(...answered(1)).expect(200);
    for (const { id } of campaigns) {
      const window = { survey_campaign_id: id, start_date: '2026-01-05', end_date: '2026-01-05' };
      expect((await survey.listResponses(window).expect(200)).body.items).toMatchObject([
        { answers: { '9': { '1': 1 } } },
      ]);
    }
  });

  it('accepts the history of a campaign that was edited, and C2 and C3 answer it', async () => {
    const campaign = campaignRecord();
    const removed = { id: 8, type: 'text', title: 'Removed' };
    const kept = { id: 9, type: 'multiple_choice', title: 'Kept', option_titles_by_id: { '2': 'Good' } };
    const response = responseRecord({
      survey_campaign_id: campaign.id,
      answers: { '8': 'A text', '9': '1' },
    });
    await survey
      .sendRecords(
        { type: 'survey_campaign', data: { ...campaign, survey_questions: [removed, kept] } },
        { type: 'survey_response', data: response },
      )
      .expect(200);
    await survey
      .sendRecords(
        { type: 'survey_campaign', data: { ...campaign, survey_questions: [kept] } },
        { type: 'survey_response', data: response },
        { type: 'survey_response', data: { ...response, user_name: 'Hoa' } },
      )
      .expect(200);
    const day = (response.sent_timestamp ?? '').slice(0, 10);
    const window = { survey_campaign_id: campaign.id, start_date: day, end_date: day };
    const { body } = await survey.listResponses(window).expect(200);
    expect(body.items).toMatchObject([{ answers: { '8': 'A text', '9': '1' }, user_name: 'Hoa' }]);
    const [row] = await survey.exportedRows(window);
    expect(row).toHaveProperty('Question 9: Kept', '1');
    expect(JSON.stringify(row)).not.toContain('A text');
  });

  it('refuses a response that would be stored with more bytes than a record may have', async () => {
    const metadataOf = (numbers: number) => `{"a":[${Array(numbers).fill('9e15').join()}]}`;
    const send = (numbers: number) => {
      const { metadata_mappings: _, ...response } = survey.response();
      const text = JSON.stringify({ type: 'survey_response', data: response });
      return survey.sendRecords(`${text.slice(0, -2)},"metadata_mappings":${metadataOf(numbers)}}}`);
    };
    await send(7_700).expect(200);
    const { body } = await send(7_711).expect(422);
    expect(body).toEqual({
      detail: [
        {
          loc: ['body', 1, 'data'],
          msg: 'A response must have at most 128 KiB as it is stored',
          type: 'too_large',
        },
      ],
    });
  });

  it('can be repeated: the same records again change nothing', async () => {
    const records: SentRecord[] = [
      ['survey_campaign', campaignRecord({ last_interacted_at: '2026-01-01T00:00:00Z' })],
      ['metadata_field', { id: 1, name: 'a', variable: 'x' }],
      ['survey_response', responseRecord()],
      ['organization_settings', { max_survey_links_per_campaign: 3 }],
    ];
    const stored = () =>
      survey.service.dataSource.query(
        `SELECT to_jsonb(response) AS row FROM survey.response WHERE organization_id = $1
         UNION ALL SELECT to_jsonb(campaign) FROM survey.campaign WHERE organization_id = $1
         UNION ALL SELECT to_jsonb(bucket) FROM survey.bucket WHERE organization_id = $1`,
        [survey.caller.organizationId],
      );
    await survey.import(...records);
    const before = await stored();
    await survey.import(...records);
    expect(await stored()).toEqual(before);
  });
});
