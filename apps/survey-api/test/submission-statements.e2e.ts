import { randomUUID } from 'node:crypto';
import type { TestService } from '@cxp/service-kit/testing';
import { completeResponse } from '../src/responses/response-fields';
import { SubmissionService } from '../src/survey-pages/submission.service';
import { LinkedCampaign, QUESTIONS, startSurveyWithPages } from './survey-page';

let service: TestService;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
afterAll(() => service.stop());

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
