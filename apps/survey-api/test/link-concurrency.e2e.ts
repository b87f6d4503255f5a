import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { thresholdExceeded, useSurvey } from './survey-service';

const CALLS_PER_PROCESS = 40;
const LIMIT = 7;

const survey = useSurvey();
let processes: ServiceProcess[];

beforeAll(async () => {
  const process = {
    entry: 'dist/apps/survey-api/main.js',
    env: survey.service.environment,
    portVariable: 'SURVEY_PORT',
  };
  processes = await Promise.all([startService(process), startService(process)]);
});
beforeEach(async () => {
  await survey.importCampaign();
  await survey.import(
    ['metadata_field', { id: 1, name: 'Cửa hàng', variable: 'store' }],
    ['organization_settings', { max_survey_links_per_campaign: LIMIT }],
  );
});
afterAll(() => Promise.all(processes.map((process) => process.stop())));

/** As many calls at once in each of two processes, each with the value that it is given, in two spellings of the campaign. */
function createAtOnce(value: (call: number) => number) {
  const { campaignId } = survey;
  const calls = Array.from({ length: CALLS_PER_PROCESS * 2 }, (_, call) =>
    survey
      .at(processes[call % 2]!)
      .createLink(
        { name: `call ${call}`, metadata_mapping: [{ metadata_id: 1, value: value(call) }] },
        call % 3 === 0 ? campaignId.toUpperCase() : campaignId,
      ),
  );
  return Promise.all(calls);
}

describe('links that are asked for at once, from two processes', () => {
  it('never pass the limit when they differ', async () => {
    const answers = await createAtOnce((call) => call);
    const created = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 422);
    expect([created.length, refused.length]).toEqual([LIMIT, answers.length - LIMIT]);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(LIMIT);
    for (const { body } of refused) expect(body).toEqual(thresholdExceeded(LIMIT));
  });

  it('are as many as there are mappings, up to the limit, when some are the same', async () => {
    const answers = await createAtOnce((call) => call % LIMIT);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(LIMIT);
  });
});
