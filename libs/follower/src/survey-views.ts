import fields from './fields.json';
import { fieldColumn } from './followed-feed';
import { column, inPeriod, PERIOD, ratio, TIMEZONE, type View } from './views';

/** The campaigns as C1 lists them, each with its status. */
export const CAMPAIGNS = 'survey_campaign';

/** Sentences of fields that the API has none for. */
const SENTENCES: Readonly<Record<string, string>> = {
  user_name: 'Name of the respondent.',
  user_phone: 'Phone of the respondent.',
  user_email: 'Email of the respondent.',
  transaction_id: 'The transaction that the survey is about.',
};

const { identifier: _identifier, ...responseFields } = fields['survey-api'];

const RESPONSE_COLUMNS = [
  { ...column('response_id', 'uuid', 'Identifier of the response.'), sql: 'identifier' },
  { ...column('campaign_id', 'uuid', 'Campaign of the response.'), sql: 'survey_campaign_id' },
  ...Object.entries(responseFields).map(([name, schema]) =>
    fieldColumn(name, name, { description: SENTENCES[name], ...schema }),
  ),
];

const SCORE =
  'Where the question has a metric: the number that the title of the chosen option, or of the column of a matrix, is; else null.';

/** A title that is a number in ASCII digits. */
const number = (title: string) => `CASE WHEN ${title} ~ '^[0-9]{1,9}$' THEN CAST(${title} AS bigint) END`;
const CHOICES = `('multiple_choice', 'checkbox')`;

const METRIC_COLUMNS = [
  column('answered', 'bigint', 'Responses that were answered.'),
  column('nps', 'float8', '100 × (promoters − detractors) ÷ nps_answers.'),
  column('promoters', 'bigint', 'Scores 9 and 10 of questions with the metric nps.'),
  column('passives', 'bigint', 'Scores 7 and 8.'),
  column('detractors', 'bigint', 'Scores 0 to 6.'),
  column('nps_answers', 'bigint', 'Scores 0 to 10; each row of a matrix counts.'),
  column('csat_mean', 'float8', 'Mean of the scores of questions with the metric csat.'),
  column('csat_answers', 'bigint', 'These scores; each row of a matrix counts.'),
  column('ces_mean', 'float8', 'Mean of the scores of questions with the metric ces.'),
  column('ces_answers', 'bigint', 'These scores; each row of a matrix counts.'),
];

const scores = (metric: string, from = 0, to = 999_999_999) =>
  `count(*) FILTER (WHERE metric = '${metric}' AND score BETWEEN ${from} AND ${to})`;
const mean = (metric: string) =>
  ratio(`sum(score) FILTER (WHERE metric = '${metric}')`, `count(score) FILTER (WHERE metric = '${metric}')`);

/** Answered responses and their scores with their local day, counted by some columns. */
function metricsBy(columns: string, where = 'true'): string {
  return `SELECT ${columns}, CAST(sum(responses) AS bigint) AS answered,
      100 * ${ratio(`(${scores('nps', 9, 10)} - ${scores('nps', 0, 6)})`, scores('nps', 0, 10))} AS nps,
      ${scores('nps', 9, 10)} AS promoters, ${scores('nps', 7, 8)} AS passives,
      ${scores('nps', 0, 6)} AS detractors, ${scores('nps', 0, 10)} AS nps_answers,
      ${mean('csat')} AS csat_mean, ${scores('csat')} AS csat_answers,
      ${mean('ces')} AS ces_mean, ${scores('ces')} AS ces_answers
    FROM (SELECT given.campaign_id, CAST(given.answered_timestamp AT TIME ZONE timezone AS date) AS day,
        facts.responses, facts.metric, facts.score
      FROM cxp.response AS given JOIN (
        SELECT response_id, 1 AS responses, CAST(NULL AS text) AS metric, CAST(NULL AS bigint) AS score FROM cxp.response
        UNION ALL SELECT response_id, 0, metric, score FROM cxp.answer WHERE score IS NOT NULL
      ) AS facts ON facts.response_id = given.response_id
      WHERE given.answered_timestamp IS NOT NULL) AS counted
    WHERE ${where} GROUP BY ${columns}`;
}

/** Of area C, in the order of creation. */
export const SURVEY_VIEWS: readonly View[] = [
  {
    name: 'cxp.campaign',
    sentence: 'The campaigns, deleted ones too. Read again at each start of the follower and every hour.',
    columns: [
      column('id', 'uuid', 'Identifier of the campaign.'),
      column('name', 'text', 'Its name.'),
      column('status', 'text', 'draft, active, inactive or deleted.'),
      column(
        'last_interacted_at',
        'timestamptz',
        'The latest interaction: sent, sending failed, opened or answered.',
      ),
    ],
    sql: `SELECT id, "row"->>'name' AS name, status, CAST("row"->>'last_interacted_at' AS timestamptz) AS last_interacted_at
      FROM cxp.${CAMPAIGNS}`,
  },
  {
    name: 'cxp.response',
    sentence: 'The responses, typed.',
    columns: RESPONSE_COLUMNS,
    sql: `SELECT ${RESPONSE_COLUMNS.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')} FROM cxp.survey_response`,
  },
  {
    name: 'cxp.answer',
    sentence:
      'One row for each answer; for each option of a checkbox or ranking, for each row of a matrix. What the campaign no longer has keeps its answers, with null titles.',
    columns: [
      column('response_id', 'uuid', 'The response.'),
      column('campaign_id', 'uuid', 'Its campaign.'),
      column('question_id', 'text', 'Identifier of the question in the campaign.'),
      column('question_title', 'text', 'Its title.'),
      column(
        'type',
        'text',
        'text, multiple_choice, checkbox, matrix or ranking; null: the campaign no longer has it.',
      ),
      column('metric', 'text', 'nps, csat or ces.'),
      column('row_id', 'text', 'Of a matrix: the row.'),
      column('row_title', 'text', 'Its title.'),
      column('option_id', 'text', 'The chosen option; of a ranking the ranked one.'),
      column('option_title', 'text', 'Its title; of a matrix the title of the column.'),
      column('score', 'bigint', SCORE),
      column('text', 'text', 'What was written, as text or as another option.'),
      column('rank', 'bigint', 'Of a ranking: from 1.'),
    ],
    sql: ({ members, elements, isString, text }) => `WITH question AS (
        SELECT campaign.id AS campaign_id, ${text(`each.value->'id'`)} AS question_id, each.value->>'title' AS title,
          each.value->>'type' AS type, each.value->>'metric_type' AS metric,
          each.value->'option_titles_by_id' AS options, each.value->'row_titles_by_id' AS rows
        FROM cxp.${CAMPAIGNS} AS campaign, ${elements(`campaign."row"->'survey_questions'`, 'each')}),
      title AS (
        SELECT question.campaign_id, question.question_id, each.key AS part, ${text('each.value')} AS title
        FROM question, ${members('question.options', 'each')}
        UNION ALL SELECT question.campaign_id, question.question_id, each.key, ${text('each.value')}
        FROM question, ${members('question.rows', 'each')}),
      given AS (
        SELECT response.identifier AS response_id, response.survey_campaign_id AS campaign_id,
          each.key AS question_id, each.value AS answer
        FROM cxp.survey_response AS response, ${members(`response."row"->'answers'`, 'each')}),
      part AS (
        SELECT given.response_id, given.campaign_id, given.question_id, CAST(NULL AS text) AS part, ${text('given.answer')} AS said
        FROM given WHERE ${isString('given.answer')}
        UNION ALL SELECT given.response_id, given.campaign_id, given.question_id, NULL, ${text('each.value')}
        FROM given, ${elements('given.answer', 'each')}
        UNION ALL SELECT given.response_id, given.campaign_id, given.question_id, each.key, ${text('each.value')}
        FROM given, ${members('given.answer', 'each')}),
      told AS (
        SELECT part.*, question.title AS question_title, question.type, question.metric,
          CASE WHEN question.type IN ${CHOICES} THEN part.said ELSE part.part END AS named
        FROM part LEFT JOIN question ON question.campaign_id = part.campaign_id AND question.question_id = part.question_id),
      found AS (
        SELECT told.*, title.title, title.title IS NOT NULL OR told.named ~ '^[0-9]+$' AS is_option
        FROM told LEFT JOIN title ON title.campaign_id = told.campaign_id AND title.question_id = told.question_id
          AND title.part = told.named)
      SELECT response_id, campaign_id, question_id, question_title, type, metric,
        CASE WHEN type = 'matrix' OR type IS NULL THEN part END AS row_id,
        CASE WHEN type = 'matrix' THEN title END AS row_title,
        CASE WHEN type <> 'matrix' AND is_option THEN named END AS option_id,
        CASE WHEN type = 'matrix' THEN said ELSE title END AS option_title,
        CASE WHEN metric IS NULL THEN NULL WHEN type = 'matrix' THEN ${number('said')}
          WHEN type IN ${CHOICES} THEN ${number('title')} END AS score,
        CASE WHEN type = 'text' OR type IS NULL THEN said WHEN type <> 'matrix' AND NOT is_option THEN named END AS text,
        CASE WHEN type = 'ranking' THEN ${number('said')} END AS rank
      FROM found`,
  },
  {
    name: 'cxp.campaign_day',
    parameters: [TIMEZONE],
    sentence:
      'Metrics of each campaign and day on which responses were answered, in the timezone. Answers without a score are in no metric.',
    columns: [
      column('campaign_id', 'uuid', 'The campaign.'),
      column('day', 'date', 'The day of answered_timestamp in the timezone.'),
      ...METRIC_COLUMNS,
    ],
    sql: metricsBy('campaign_id, day'),
  },
  {
    name: 'cxp.campaign_period',
    parameters: [TIMEZONE, ...PERIOD],
    sentence:
      'Metrics of each campaign over the responses answered from start_date to end_date in the timezone. Answers without a score are in no metric.',
    columns: [column('campaign_id', 'uuid', 'The campaign.'), ...METRIC_COLUMNS],
    sql: metricsBy('campaign_id', inPeriod('day')),
  },
];
