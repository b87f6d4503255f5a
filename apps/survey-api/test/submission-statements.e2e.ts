import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { TestService } from '@cxp/service-kit/testing';
import { completeResponse } from '../src/responses/response-record';
import { SubmissionService } from '../src/survey-pages/submission.service';
import { FORM, LinkedCampaign, QUESTIONS, startSurveyWithPages } from './survey-page';

let service: TestService;
let campaign: LinkedCampaign;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
beforeEach(async () => {
  campaign = await LinkedCampaign.create(service);
});
afterAll(() => service.stop());

it('a submission is stored, counted and numbered by one statement', async () => {
  const identifier = await campaign.newIdentifier();
  const sent = jest.spyOn(Client.prototype, 'query');
  await campaign.submitForm({ ...FORM, identifier }).expect(200);
  const statements = sent.mock.calls.map(([statement]: unknown[]) => {
    const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
    return /survey\.\w+/.exec(text)?.[0];
  });
  sent.mockRestore();
  const [change, ...others] = await service.dataSource.query<{ change: string }[]>(
    'SELECT change FROM survey.response WHERE organization_id = $1',
    [campaign.caller.organizationId],
  );
  expect(others).toEqual([]);
  expect(change).toEqual({ change: '1' });
  expect(statements.filter(Boolean)).toEqual(['survey.find_linked_survey', 'survey.submit']);
});

it('submissions are not stored together with one that was read from its link before an erasure', async () => {
  const linked = await LinkedCampaign.create(service, QUESTIONS, {
    name: 'Store 1',
    metadata_mapping: [{ metadata_id: 1, value: 'hoa@example.com' }],
  });
  const [link] = await service.dataSource.query(
    'SELECT organization_id, campaign_id, public_id, mapping_key FROM survey.link WHERE organization_id = $1',
    [linked.caller.organizationId],
  );
  const submissions = service.app.get(SubmissionService);
  const submit = (mappingKey: Buffer) =>
    submissions.store({
      organizationId: link.organization_id,
      response: completeResponse({
        identifier: randomUUID(),
        survey_campaign_id: link.campaign_id,
        answered_timestamp: new Date().toISOString(),
      }),
      linkWithMetadata: { publicId: link.public_id, mappingKey },
    });
  const [current, former] = [link.mapping_key, Buffer.from('before')];
  expect(await Promise.all([submit(current), submit(former)])).toEqual([false, false]);
  expect(await Promise.all([submit(former), submit(current)])).toEqual([false, false]);
  expect(await submit(current)).toBe(true);
  expect(await linked.responses()).toHaveLength(1);
});
