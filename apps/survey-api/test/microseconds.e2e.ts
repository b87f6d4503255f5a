import { randomUUID } from 'node:crypto';
import { campaignRecord } from './records';
import { useSurvey } from './survey-service';

/** Times of records are kept and compared to the microsecond; answers show milliseconds. */

const survey = useSurvey();

beforeEach(async () => {
  await survey.importCampaign();
});

const at = (fraction: string) => `2026-01-10T02:00:00.${fraction}Z`;
const response = (fraction: string, parts: object = {}) =>
  survey.response({ sent_timestamp: at(fraction), ...parts });
const namesOf = async (query: object = {}) =>
  (await survey.listResponses(query).expect(200)).body.items.map(
    ({ user_name }: { user_name: string }) => user_name,
  );
const changes = async (query: object = {}) => (await survey.changes(query).expect(200)).body;

describe('of two records of a response whose latest times are of one millisecond', () => {
  const identifier = randomUUID();
  const opened = (fraction: string, user_name: string) =>
    response('000', { identifier, opened_timestamp: at(fraction), user_name });

  it.each(['in one body', 'in two bodies'])('the newer one counts, %s', async (bodies) => {
    const both = [opened('123900', 'newer'), opened('123100', 'older')];
    for (const body of bodies === 'in one body' ? [both] : both.map((one) => [one]))
      await survey.importResponses(...body);
    expect(await namesOf()).toEqual(['newer']);
    await survey.importResponses(opened('123900999999', 'equal but for what is cut off'));
    expect(await namesOf()).toEqual(['equal but for what is cut off']);
  });

  it('one that differs in microseconds only is no change, and keeps out what is older than it', async () => {
    await survey.importResponses(opened('123100', 'same'));
    const before = await changes();
    await survey.importResponses(opened('123900', 'same'));
    await survey.importResponses(opened('123500', 'older'));
    expect(await changes({ cursor: before.next_cursor })).toMatchObject({ items: [], change: before.change });
    expect(await namesOf()).toEqual(['same']);
  });
});

it('responses are ordered by the microseconds of their earliest times, on pages and in files', async () => {
  const inOrder = ['123', '123001', '1239', '123999999999', '124'];
  // The order of their identifiers is the other one.
  const identifiers = inOrder
    .map(() => randomUUID())
    .sort()
    .reverse();
  await survey.importResponses(
    ...inOrder.map((fraction, place) =>
      response(fraction, {
        identifier: identifiers[place],
        user_name: fraction,
        answered_timestamp: at('500'),
      }),
    ),
  );
  expect(await namesOf()).toEqual(inOrder);
  expect([...(await namesOf({ per_page: 2 })), ...(await namesOf({ per_page: 2, page: 2 }))]).toEqual(
    inOrder.slice(0, 4),
  );
  const items = await survey.exportedRows();
  expect(items.map((row) => Object.values(row).find((value) => inOrder.includes(String(value))))).toEqual(
    inOrder,
  );
  const listed = await survey.listResponses().expect(200);
  expect(listed.body.items.map((item: { sent_timestamp: string }) => item.sent_timestamp.slice(-5))).toEqual([
    '.123Z',
    '.123Z',
    '.123Z',
    '.123Z',
    '.124Z',
  ]);
});

it('campaigns are ordered by the microseconds of their latest interaction', async () => {
  const [own, ofResponse] = [randomUUID(), randomUUID()].sort();
  await survey.import(
    ['survey_campaign', campaignRecord({ id: own, last_interacted_at: at('123100') })],
    ['survey_campaign', campaignRecord({ id: ofResponse })],
    ['survey_response', response('123900', { survey_campaign_id: ofResponse })],
  );
  const { body } = await survey.listCampaigns().expect(200);
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ofResponse, own, survey.campaignId]);
});
