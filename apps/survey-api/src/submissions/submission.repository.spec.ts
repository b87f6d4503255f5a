import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { withFreeIntakeTurns } from '@cxp/record-intake';
import { campaignRecord } from '../../test/records';
import { openSurveyDatabase, storeRecords } from '../../test/survey-database';
import { instantsOf } from '../calendar/day-window';
import { responseDigest } from '../responses/response-feed';
import { surveyResponse } from '../responses/response.dto';
import { ResponseReadModel } from '../responses/response.read-model';
import { submitted, type LinkedResponse, type StoredSubmission } from './submission';
import { SubmissionRepository } from './submission.repository';

let dataSource: DataSource;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
});
afterAll(() => close());

interface Link {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly publicId: string;
}

async function createLink(): Promise<Link> {
  const [organizationId, campaignId, publicId] = [
    randomUUID(),
    randomUUID(),
    randomBytes(16).toString('base64url'),
  ];
  await storeRecords(dataSource, organizationId, 'survey_campaign', [campaignRecord({ id: campaignId })]);
  await dataSource.query(
    `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping)
     VALUES ($1, $2, $3, '', 'Link', '[]')`,
    [organizationId, publicId, campaignId],
  );
  return { organizationId, campaignId, publicId };
}

function store(submissions: readonly StoredSubmission[]): Promise<void> {
  const organizationIds = [...new Set(submissions.map(({ organizationId }) => organizationId))];
  return withFreeIntakeTurns(
    dataSource,
    'survey',
    organizationIds,
    (manager, free) => {
      expect(free.size).toBe(organizationIds.length);
      return new SubmissionRepository(manager).storeAll(submissions);
    },
    1_000,
  );
}

async function pageOf({ organizationId, campaignId }: Link, offset: number, limit: number) {
  const window = { campaignId, ...instantsOf({ startDate: '2026-01-01', endDate: '2026-01-31' }) };
  return new ResponseReadModel(dataSource.manager).page(organizationId, window, { offset, limit });
}

it('batches of several organizations have the outcome of one submission after the other', async () => {
  const second = (seconds: number) => new Date(Date.UTC(2026, 0, 5, 16, 59, 50 + seconds));
  const history = fc.array(
    fc.array(
      fc.record({
        link: fc.nat(2),
        response: fc.nat(3),
        state: fc.constantFrom('opened' as const, 'answered' as const),
        seconds: fc.nat(20),
        text: fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => !text.includes('\0')),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(history, async (batches) => {
      const links = await Promise.all([createLink(), createLink(), createLink()]);
      const identifiers = links.map(() => Array.from({ length: 4 }, () => randomUUID()));
      const model = new Map<string, LinkedResponse>();
      for (const batch of batches) {
        const submissions = batch.map(({ link, response, state, seconds, text }) => ({
          ...links[link]!,
          identifier: identifiers[link]![response]!,
          state,
          answers: { '1': text },
          submittedAt: second(seconds),
        }));
        await store(submissions);
        for (const one of submissions) {
          const changed = submitted(model.get(one.identifier), one, null);
          if (changed) model.set(one.identifier, changed);
        }
      }
      for (const link of links) await expectStored(link, model);
    }),
    { numRuns: 12 },
  );
});

/** What is stored of a link's campaign is the model's, and counts, numbers and digests agree with it. */
async function expectStored(link: Link, model: ReadonlyMap<string, LinkedResponse>): Promise<void> {
  const expected = [...model.values()].filter(({ campaignId }) => campaignId === link.campaignId);
  const { total, items } = await pageOf(link, 0, 100);
  expect(total).toBe(expected.length);
  const byIdentifier = (left: LinkedResponse, right: LinkedResponse) =>
    left.identifier < right.identifier ? -1 : 1;
  const stored = items.map(({ ...item }) => ({ ...item, campaignId: link.campaignId }));
  expect(stored.sort(byIdentifier)).toMatchObject(expected.sort(byIdentifier));
  const numbers: {
    identifier: string;
    digest: string;
    change: number;
    feed: number;
    isAnnounced: boolean;
  }[] = await dataSource.query(
    `SELECT identifier, digest::text, change::int, feed_change::int AS feed, announced_change = change AS "isAnnounced"
       FROM survey.response WHERE organization_id = $1`,
    [link.organizationId],
  );
  for (const { identifier, digest, isAnnounced } of numbers) {
    const response = model.get(identifier)!;
    expect({ digest, isAnnounced }).toEqual({
      digest: responseDigest(response.campaignId, surveyResponse(response)),
      isAnnounced: true,
    });
  }
  expect(new Set(numbers.map(({ change }) => change)).size).toBe(numbers.length);
  expect(new Set(numbers.map(({ feed }) => feed)).size).toBe(numbers.length);
  const [last] = await dataSource.query<{ change: number; feed: number }[]>(
    `SELECT latest::int AS change, last::int AS feed
     FROM survey.response_change JOIN survey.change_feed ON change_feed.organization_id = $1 COLLATE "C"
     WHERE response_change.organization_id = $1`,
    [link.organizationId],
  );
  expect(last ?? { change: 0, feed: 0 }).toEqual({
    change: Math.max(0, ...numbers.map(({ change }) => change)),
    feed: Math.max(0, ...numbers.map(({ feed }) => feed)),
  });
}

it('a campaign with more responses than one block holds keeps exact counts', async () => {
  const link = await createLink();
  for (let batch = 0; batch < 5; batch++) {
    await store(
      Array.from({ length: 500 }, (_, n) => ({
        ...link,
        identifier: randomUUID(),
        state: 'answered' as const,
        answers: { '1': String(n) },
        submittedAt: new Date(Date.UTC(2026, 0, 5, 2, batch, n % 60)),
      })),
    );
  }
  const blocks: { responses: number }[] = await dataSource.query(
    'SELECT responses FROM survey.response_block WHERE organization_id = $1',
    [link.organizationId],
  );
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks.reduce((sum, { responses }) => sum + responses, 0)).toBe(2_500);
  const pages = await Promise.all([0, 1_000, 2_000].map((offset) => pageOf(link, offset, 1_000)));
  expect(pages.map(({ total }) => total)).toEqual([2_500, 2_500, 2_500]);
  expect(new Set(pages.flatMap(({ items }) => items.map(({ identifier }) => identifier))).size).toBe(2_500);
});

it('numbers responses in the order of arrival, each organization by itself', async () => {
  const links = await Promise.all([createLink(), createLink()]);
  const identifiers = Array.from({ length: 40 }, () => randomUUID());
  await store(
    identifiers.map((identifier, place) => ({
      ...links[place % 2]!,
      identifier,
      state: 'answered',
      answers: { '1': String(place) },
      submittedAt: new Date(Date.UTC(2026, 0, 5, 2, 0, 59 - place)),
    })),
  );
  for (const [which, { organizationId }] of links.entries()) {
    const numbered: unknown[] = await dataSource.query(
      `SELECT identifier, change::int, feed_change::int FROM survey.response WHERE organization_id = $1 ORDER BY change`,
      [organizationId],
    );
    const arrived = identifiers.filter((_, place) => place % 2 === which);
    expect(numbered).toEqual(
      arrived.map((identifier, index) => ({ identifier, change: index + 1, feed_change: index + 1 })),
    );
  }
});

it('leaves responses of a campaign that was deleted meanwhile to be announced when it comes back', async () => {
  const link = await createLink();
  await dataSource.query(`UPDATE survey.campaign SET status = 'deleted' WHERE id = $1`, [link.campaignId]);
  await store([
    { ...link, identifier: randomUUID(), state: 'answered', answers: { '1': 'x' }, submittedAt: new Date() },
  ]);
  const rows: unknown[] = await dataSource.query(
    `SELECT feed_change, digest, announced_change FROM survey.response WHERE organization_id = $1`,
    [link.organizationId],
  );
  expect(rows).toEqual([{ feed_change: null, digest: null, announced_change: null }]);
});
