import { SURVEY_VIEWS } from '../survey-views';
import { VIEWS } from '../views';
import { duration } from './explanation';
import { IN_HOURS, NIGHTS_INCLUDED, type Report } from './report-values';

/** The words of the page, in its order. */
const wordsOf = (target: string) => [
  [
    'Session',
    'An agent has a customer’s chat; it counts on the day and in the hour in which the agent took it.',
  ],
  ['Conversation', 'The whole chat of a customer, of one or more sessions.'],
  ['Wait', 'From the handoff to the team, before an agent has taken the chat, to an agent’s first answer.'],
  ['First response', 'From the moment an agent has the chat to the agent’s first answer.'],
  [`${NIGHTS_INCLUDED}, ${IN_HOURS}`, 'The whole time, or the part of it in which the team is open.'],
  ['Median, 9 of 10', 'Half of the sessions, or nine of ten of them, took less.'],
  ['About the same', 'The two figures differ by less than 5 % of the earlier one.'],
  ['Missing, —', 'Without an answer a session has no wait: it is in no time and no share, and counted here.'],
  [`Target ${target}`, 'A wait of at most so long is in time.'],
  ['Rating, resolved', 'What customers said after the chat: 1 to 5, and the share of Yes in Yes and No.'],
];
const COLUMNS =
  /^(sessions|answered_sessions|wait_time_business_hours_seconds_(median|p90|missing)|ratings|rating_mean|resolved_share|wait_(met|missed|share_met)|nps|csat_mean|ces_mean)$/;
const SHOWN = ['cxp.period', 'cxp.agent_period', 'cxp.target_day', 'cxp.campaign_period'];

/** What the words of the page mean, and the sentences of the views, of the columns that it shows. */
export function Sentences({ report: { schema, period, conversations } }: { report: Report }) {
  const views = SHOWN.map((name) => [...VIEWS, ...SURVEY_VIEWS].find((view) => view.name === name)!);
  const sentences = new Map(
    views.flatMap(({ name, sentence, columns }) => [
      [name, sentence] as const,
      ...columns
        .filter((column) => COLUMNS.test(column.name))
        .map((column) => [column.name, column.sentence] as const),
    ]),
  );
  const inSchema = (text: string) => text.replaceAll('cxp.', `${schema}.`);
  const list = (pairs: Iterable<readonly string[]>) => (
    <dl class="counts">
      {[...pairs].map(([name, sentence]) => (
        <div>
          <dt>{inSchema(name!)}</dt>
          <dd>{inSchema(sentence!)}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <>
      <h2>What each figure counts</h2>
      {conversations && list(wordsOf(duration(period.targetSeconds)))}
      <details>
        <summary>For analysts: the views and columns of the copy</summary>
        <p class="lead">
          Each figure is one of the copy’s views, so that SQL gives the same:{' '}
          <code>cxp-follow report --sql</code> prints the queries.
        </p>
        {list(sentences)}
      </details>
    </>
  );
}
