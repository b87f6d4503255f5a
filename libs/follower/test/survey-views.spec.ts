import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import type { FollowedChange } from '../src/followed-feed';
import { openBoth, type TestCopy } from './both-databases';

const CAMPAIGN = '3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a50';
const scale = (from: number, to: number) =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, n) => [`o${n + from}`, String(n + from)]));
const question = (id: number, type: string, metric_type: string | null, more: object) => ({
  ...{ id, type, metric_type, title: `Question ${id}` },
  ...{ option_titles_by_id: null, row_titles_by_id: null, column_titles: null },
  ...more,
});

const campaign = {
  id: CAMPAIGN,
  name: "Khảo sát 'một'",
  last_interacted_at: '2026-03-02T01:00:00.000Z',
  survey_questions: [
    question(1, 'multiple_choice', 'nps', { option_titles_by_id: { ...scale(0, 10), o11: 'Không biết' } }),
    question(2, 'matrix', 'csat', {
      row_titles_by_id: { r1: 'Price', r2: 'Staff' },
      column_titles: ['1', '5'],
    }),
    question(3, 'multiple_choice', 'ces', { option_titles_by_id: scale(1, 7) }),
    question(4, 'checkbox', null, { option_titles_by_id: { a: 'Shop', b: 'Web' } }),
    question(5, 'ranking', null, { option_titles_by_id: { x: 'Fast', y: 'Cheap' } }),
    question(6, 'text', null, {}),
  ],
};

function response(n: number, answered: string | null, answers: object | null): FollowedChange {
  const identifier = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const row = {
    identifier,
    sent_timestamp: '2026-03-01T00:00:00.000Z',
    answered_timestamp: answered,
    answers,
  };
  const digest = hexDigest(rowDigest({ key: { identifier }, survey_campaign_id: CAMPAIGN, row }));
  const item = { op: 'upsert', change: n, key: { identifier }, survey_campaign_id: CAMPAIGN, digest, row };
  return item as unknown as FollowedChange;
}

const RESPONSES = [
  response(1, '2026-03-01T16:59:00.000Z', { '1': 'o10', '2': { r1: '5', r2: '1' }, '3': 'o7' }),
  // The next day in Ho Chi Minh City. What is written looks like paths and ids.
  response(2, '2026-03-01T17:00:00.000Z', { '1': 'o6', '4': ['a', '$.x[', 'khác: 5'], '6': '10' }),
  response(3, '2026-03-01T18:00:00.000Z', {
    '1': 'o8',
    '5': { x: 2, y: 1 },
    '3': '99',
    '9': 'gone',
    '10': { r: 'c' },
  }),
  response(4, '2026-03-01T19:00:00.000Z', { '1': 'o11' }),
  response(5, null, null),
];

let copies: readonly TestCopy[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ copies, close } = await openBoth({ views: true }, 'survey'));
  for (const { store, storeCampaigns } of copies) {
    await store({ items: RESPONSES, change: 5, startsOver: 'first_reading' });
    // Twice, as every hour.
    for (const status of ['draft', 'active'])
      await storeCampaigns([{ id: CAMPAIGN, status, row: campaign as never }]);
  }
});
afterAll(() => close());

async function expectRows(sql: string, expected: readonly (readonly unknown[])[]): Promise<void> {
  for (const { query } of copies) {
    const rows = await query(`SELECT CAST(to_json(answer) AS text) AS text FROM (${sql}) AS answer`);
    expect(rows.map(({ text }) => Object.values(JSON.parse(text as string) as object))).toEqual(expected);
  }
}

it('cxp.answer has a row for each answer, option and row, with titles and scores', async () => {
  await expectRows(
    `SELECT right(CAST(response_id AS text), 1) AS response, question_id, type, metric, row_id, row_title, option_id, option_title,
       score, "text", "rank" FROM cxp.answer ORDER BY response_id, question_id, row_id, option_id NULLS FIRST, "text"`,
    [
      ['1', '1', 'multiple_choice', 'nps', null, null, 'o10', '10', 10, null, null],
      ['1', '2', 'matrix', 'csat', 'r1', 'Price', null, '5', 5, null, null],
      ['1', '2', 'matrix', 'csat', 'r2', 'Staff', null, '1', 1, null, null],
      ['1', '3', 'multiple_choice', 'ces', null, null, 'o7', '7', 7, null, null],
      ['2', '1', 'multiple_choice', 'nps', null, null, 'o6', '6', 6, null, null],
      ['2', '4', 'checkbox', null, null, null, null, null, null, '$.x[', null],
      ['2', '4', 'checkbox', null, null, null, null, null, null, 'khác: 5', null],
      ['2', '4', 'checkbox', null, null, null, 'a', 'Shop', null, null, null],
      ['2', '6', 'text', null, null, null, null, null, null, '10', null],
      ['3', '1', 'multiple_choice', 'nps', null, null, 'o8', '8', 8, null, null],
      ['3', '10', null, null, 'r', null, null, null, null, 'c', null],
      ['3', '3', 'multiple_choice', 'ces', null, null, '99', null, null, null, null],
      ['3', '5', 'ranking', null, null, null, 'x', 'Fast', null, null, 2],
      ['3', '5', 'ranking', null, null, null, 'y', 'Cheap', null, null, 1],
      ['3', '9', null, null, null, null, null, null, null, 'gone', null],
      ['4', '1', 'multiple_choice', 'nps', null, null, 'o11', 'Không biết', null, null, null],
    ],
  );
});

it('cxp.campaign_day and cxp.campaign_period count metrics by the day of the answer', async () => {
  const figures =
    'answered, nps, promoters, passives, detractors, nps_answers, csat_mean, csat_answers, ces_mean, ces_answers';
  await expectRows(
    `SELECT extract(day FROM day) AS day, ${figures} FROM cxp.campaign_day('Asia/Ho_Chi_Minh') ORDER BY day`,
    [
      [1, 1, 100, 1, 0, 0, 1, 3, 2, 7, 1],
      [2, 3, -50, 0, 1, 1, 2, null, 0, null, 0],
    ],
  );
  await expectRows(
    `SELECT campaign_id, ${figures} FROM cxp.campaign_period('UTC', '2026-03-01', '2026-03-01')`,
    [[CAMPAIGN, 4, 0, 1, 1, 1, 3, 3, 2, 7, 1]],
  );
  await expectRows(`SELECT ${figures} FROM cxp.campaign_period('UTC', '2026-03-02', '2026-03-03')`, []);
});

it('cxp.campaign and cxp.response are typed, and have a comment for each column', async () => {
  await expectRows(
    `SELECT id, name, status, extract(year FROM last_interacted_at) AS year FROM cxp.campaign`,
    [[CAMPAIGN, campaign.name, 'active', 2026]],
  );
  await expectRows(`SELECT count(*) AS all, count(answered_timestamp) AS answered FROM cxp.response`, [
    [5, 4],
  ]);
  const [, duckdb] = copies as [TestCopy, TestCopy];
  expect(
    await duckdb.query(
      `SELECT column_name FROM duckdb_columns() WHERE table_name IN ('campaign', 'response', 'answer', 'follow_state') AND comment IS NULL`,
    ),
  ).toEqual([]);
});
