import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { surveyApi } from '@cxp/survey-api/service';
import { surveyClient } from '../src/clients';
import { readCommittedDocument } from './committed-document';
import { importRecords } from './import-records';

const campaign = {
  id: 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42',
  name: 'After the visit',
  status: 'active',
  touchpoints: ['Store'],
  survey_questions: [{ id: 1, type: 'text', title: 'How was it?' }],
};

describe('the generated client of survey-api', () => {
  let service: TestService;
  let caller: Caller;

  beforeAll(async () => {
    service = await startTestService(surveyApi, surveyDatabase, {});
    caller = await service.caller();
    await importRecords(service, caller, [{ type: 'survey_campaign', data: campaign }]);
  });

  afterAll(() => service.stop());

  it('lists campaigns and creates a link for one', async () => {
    const client = surveyClient({ url: service.url, ...caller });
    const listed = await client.GET('/external/survey-campaigns', { params: { query: { search: 'visit' } } });
    expect(listed.data).toMatchObject({ total: 1, items: [{ id: campaign.id, name: campaign.name }] });

    const created = await client.POST('/external/survey-campaigns/{survey_campaign_id}/links', {
      params: { path: { survey_campaign_id: listed.data!.items[0]!.id } },
      body: { name: 'Front door' },
    });
    expect(created.data).toMatchObject({ name: 'Front door', metadata_mapping: [] });
  });

  it('exports a file', async () => {
    const client = surveyClient({ url: service.url, ...caller });
    const query = { survey_campaign_id: campaign.id, start_date: '2026-01-01', end_date: '2026-01-31' };
    const { response, data } = await client.POST('/external/survey-responses/export', {
      params: { query },
      parseAs: 'arrayBuffer',
    });

    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-16le');
    expect(new TextDecoder('utf-16le').decode(data)).toMatch(/^Response ID\tTimestamp sent/);
  });

  it('tells a problem as it is documented', async () => {
    const client = surveyClient({ url: service.url, ...caller, token: 'wrong' });
    const { error, response } = await client.GET('/external/survey-campaigns', {});

    expect(response.status).toBe(401);
    expect(typeof error!.detail).toBe('string');
  });

  it('is made from the document that the running service shows', async () => {
    const shown: unknown = await fetch(`${service.url}/docs/openapi.json`).then((answer) => answer.json());

    expect(shown).toEqual(readCommittedDocument('survey-api'));
  });
});
