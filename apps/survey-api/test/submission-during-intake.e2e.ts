import { withOrganizationLock } from '@cxp/records';
import type { TestService } from '@cxp/service-kit/testing';
import { LinkedCampaign, startSurveyWithPages } from './survey-page';

let service: TestService;
let campaign: LinkedCampaign;
let identifier: string;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
afterAll(() => service.stop());
beforeEach(async () => {
  campaign = await LinkedCampaign.create(service);
  identifier = await campaign.newIdentifier();
});

describe('while an intake of the organization goes on', () => {
  const duringIntake = (work: () => Promise<void>) =>
    withOrganizationLock(service.dataSource, 'survey', campaign.caller.organizationId, work);

  it('a submit that waits too long is a 503 page, nothing is stored, and it succeeds afterwards', async () => {
    await duringIntake(async () => {
      const refused = campaign.submitForm({ identifier, q5: 'x' }, '?lang=en');
      await refused.expect(503, /please go back and send them again/).expect('retry-after', /[1-9]/);
    });
    expect(await campaign.responses()).toEqual([]);
    await campaign.submitForm({ identifier, q5: 'x' }).expect(200);
    expect(await campaign.responses()).toHaveLength(1);
  });

  it('submits of other organizations are stored at once, however many wait', async () => {
    const other = await LinkedCampaign.create(service);
    const identifiers = await Promise.all(Array.from({ length: 10 }, () => other.newIdentifier()));
    await duringIntake(async () => {
      const held = Promise.all(
        Array.from({ length: 20 }, () => campaign.submitForm({ identifier, q5: 'held' }).expect(503)),
      );
      await Promise.all(
        identifiers.map((one) => other.submitForm({ identifier: one, q5: 'free' }).expect(200)),
      );
      await held;
    });
    expect(await other.responses()).toHaveLength(10);
  });
});
