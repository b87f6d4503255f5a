import { DataSource } from 'typeorm';
import { Client } from 'pg';
import type { TestService } from '@cxp/service-kit/testing';
import { FORM, LinkedCampaign, startSurveyWithPages } from './survey-page';

let service: TestService;
let campaign: LinkedCampaign;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
beforeEach(async () => {
  campaign = await LinkedCampaign.create(service);
});
afterAll(() => service.stop());

it('a submission is stored, counted and numbered by one statement between the start of its transaction and its end', async () => {
  const identifier = await campaign.newIdentifier();
  const sent = jest.spyOn(Client.prototype, 'query');
  // The link is looked up before it.
  await campaign.submitForm({ ...FORM, identifier }).expect(200);
  const statements = sent.mock.calls.map(([statement]: unknown[]) => {
    const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
    return text.trim().split(/\s/)[0];
  });
  sent.mockRestore();
  const [change, ...others] = await service.dataSource.query<{ change: string }[]>(
    'SELECT change FROM survey.response WHERE organization_id = $1',
    [campaign.caller.organizationId],
  );
  expect(others).toEqual([]);
  expect(change).toEqual({ change: '1' });
  expect(statements.filter((name) => name !== 'SELECT')).toEqual(['START', 'WITH', 'COMMIT']);
});

it('a submission is stored by a statement that is planned once', async () => {
  /** Over all connections of the service. */
  const plansMade = async () => {
    const found = await Promise.all(
      Array.from({ length: 10 }, () =>
        service.app.get(DataSource).query<{ custom: number; generic: number }[]>(
          `SELECT custom_plans::int AS custom, generic_plans::int AS generic
           FROM pg_sleep(0.05) CROSS JOIN pg_prepared_statements WHERE statement LIKE 'WITH record AS%'`,
        ),
      ),
    );
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    return {
      custom: sum(found.flat().map(({ custom }) => custom)),
      generic: sum(found.flat().map(({ generic }) => generic)),
    };
  };
  const before = await plansMade();
  for (let n = 0; n < 3; n++) {
    await campaign.submitForm({ ...FORM, identifier: await campaign.newIdentifier() }).expect(200);
  }
  expect(await plansMade()).toEqual({ custom: before.custom, generic: before.generic + 3 });
});
