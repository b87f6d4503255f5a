import { Bars, Chart } from './charts';
import { counted, numberOf, ofFive, percent, type Row, type SurveyAnswers, textOf } from './report-values';

/** More scores than these are no scale. */
const MAX_SCORES = 20;
/** The ends of usual scales. */
const SCALES = [5, 7, 10];
const METRICS = [
  { metric: 'nps', column: 'nps', title: 'NPS', best: 'extremely likely' },
  { metric: 'csat', column: 'csat_mean', title: 'Satisfaction (CSAT)', best: 'very satisfied' },
  { metric: 'ces', column: 'ces_mean', title: 'Effort (CES)', best: 'very easy' },
] as const;

/** What customers said of their chats, which are the figures of all sessions, and in each campaign that was answered. */
export function Surveys({ campaigns, scores, chats }: SurveyAnswers & { chats?: Row }) {
  return (
    <>
      <h2>What customers say</h2>
      {chats && (
        <p class="campaign">
          <b>Chats</b> rated <b>{textOf(chats.rating_mean, ofFive)}</b> in {counted(Number(chats.ratings))}{' '}
          ratings · <b>{textOf(chats.resolved_share, percent)}</b> resolved, of{' '}
          {counted(Number(chats.resolutions))} who said
        </p>
      )}
      {campaigns.map((campaign) => (
        <section class="campaign">
          <p class="campaign-name">
            <b>
              <bdi>{String(campaign.name ?? 'A campaign without a name')}</bdi>
            </b>
            <span class="meta">
              {' '}
              {counted(Number(campaign.answered))} responses answered
              {METRICS.some(({ metric }) => Number(campaign[`${metric}_answers`]) > 0)
                ? ''
                : ', none of them with a score'}
            </span>
          </p>
          <div class="charts">
            {METRICS.filter(({ metric }) => Number(campaign[`${metric}_answers`]) > 0).map((kind) => (
              <Metric
                {...{ campaign, kind }}
                scores={scores.filter(({ id, metric }) => id === campaign.id && metric === kind.metric)}
              />
            ))}
          </div>
        </section>
      ))}
    </>
  );
}

interface MetricProps extends Pick<SurveyAnswers, 'scores'> {
  readonly campaign: Row;
  readonly kind: (typeof METRICS)[number];
}

function Metric({ campaign, kind: { metric, column, title, best }, scores }: MetricProps) {
  const figure = numberOf(campaign[column])!;
  const isNps = metric === 'nps';
  const given = scores.map((row) => Number(row.score));
  const [lowest, highest] = [isNps ? 0 : Math.min(1, ...given), isNps ? 10 : Math.max(...given)];
  // Nobody may have given the best score: only one that was given is called so.
  const scale = SCALES.includes(highest) ? highest : undefined;
  const answersOf = new Map(scores.map((row) => [Number(row.score), Number(row.answers)]));
  const isWhole = highest - lowest < MAX_SCORES;
  const axis = isWhole
    ? Array.from({ length: highest - lowest + 1 }, (_, place) => lowest + place)
    : given.slice(0, MAX_SCORES);
  const mostLow = isNps ? 6 : (scale ?? 0) / 2;
  return (
    <Chart
      title={`${title}: ${isNps ? figure.toFixed(0).replace('-', '−') : figure.toFixed(1)}${!isNps && scale ? ` of ${scale}` : ''}`}
      sentence={
        <>
          {isNps ? 'Promoters minus detractors, −100 to 100' : 'Mean score'}
          {scale ? ` (${scale} = ${best})` : ''} · {counted(Number(campaign[`${metric}_answers`]))} answers,
          by score
          {mostLow > 0 && (
            <>
              {' '}
              <span class="key late">low</span>
            </>
          )}
        </>
      }
      head={['Score', 'Answers']}
      rows={axis.map((score) => [score, answersOf.get(score) ?? 0])}
    >
      <Bars
        height={90}
        bars={axis.map((score) => ({
          label: String(score),
          parts: [[score <= mostLow ? 'late' : 'met', answersOf.get(score) ?? 0]],
        }))}
      />
    </Chart>
  );
}
